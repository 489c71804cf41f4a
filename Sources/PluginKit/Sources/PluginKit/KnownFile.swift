/// How a file was when it was listed last.
public struct KnownFile: Sendable, Equatable {
  /// As ``ItemFile/contentVersion``.
  public var contentVersion: String
  /// As ``ItemFile/identityHint``.
  public var identityHint: String?
  /// Where it is trashed: the locators of the other files of its photo that lie in its folder,
  /// which go along; a file whose name alone would put it there is another photo's. Nil: those that
  /// ``FileGrouping`` puts beside it.
  public var others: [String]?

  public init(contentVersion: String, identityHint: String?, others: [String]? = nil) {
    self.contentVersion = contentVersion
    self.identityHint = identityHint
    self.others = others
  }
}
