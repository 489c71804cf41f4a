/// What keeps plugins from being removed while it is decided that something uses them. On the loop's thread.
struct PluginClaim {
  private let number: Int
  private let plugins: PluginService

  init(_ number: Int, of plugins: PluginService) { (self.number, self.plugins) = (number, plugins) }

  /// To be called when the decision is made or refused: who uses them is known then. Harmless when repeated.
  func release() { plugins.release(number) }
}
