/// Keeps plugins from being removed while a decision to use them is made. Used on the loop's
/// thread.
struct PluginClaim {
  private let number: Int
  private let plugins: PluginService

  init(_ number: Int, of plugins: PluginService) { (self.number, self.plugins) = (number, plugins) }

  /// Call it when the decision is made or refused. A second call does nothing.
  func release() { plugins.release(number) }
}
