/// Why a plugin did not do what it was asked. The broker prefixes the message with the plugin's
/// name; keep photo names and credentials out of it.
public struct PluginError: Error, Sendable, Equatable {
  public enum Code: String, Sendable, CaseIterable {
    /// The storage cannot be reached now; the library is offline until it can.
    case offline
    /// Nothing is there under that locator.
    case notFound
    /// The storage takes no changes.
    case readOnly
    /// The storage is full.
    case noSpace
    /// An option has a value that is not allowed.
    case invalidOption
    /// The plugin cannot do this at all.
    case unsupported
    /// Everything else.
    case failed
  }

  public var code: Code
  /// What happened and what to do about it.
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
