/// How a file was when it was listed last.
public struct KnownFile: Sendable, Equatable {
  /// As ``ItemFile/contentVersion``.
  public var contentVersion: String
  /// As ``ItemFile/identityHint``.
  public var identityHint: String?

  public init(contentVersion: String, identityHint: String?) {
    self.contentVersion = contentVersion
    self.identityHint = identityHint
  }
}
