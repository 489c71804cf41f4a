/// A plugin's failure. The broker prefixes the message with the plugin's name. It must hold no
/// photo names and no credentials.
public struct PluginError: Error, Sendable, Equatable {
  public enum Code: String, Sendable, CaseIterable {
    /// The storage cannot be reached. The library is offline until it can.
    case offline
    /// No file has that locator.
    case notFound
    /// The storage takes no changes.
    case readOnly
    /// The storage is full.
    case noSpace
    /// The value of an option is not allowed.
    case invalidOption
    /// The plugin does not support the call.
    case unsupported
    /// Any other failure.
    case failed
  }

  public var code: Code
  /// The problem, and a way to fix it.
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
