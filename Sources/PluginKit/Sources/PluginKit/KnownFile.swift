/// The state of a file at its last listing.
public struct KnownFile: Sendable, Equatable {
  /// The listed ``ItemFile/contentVersion``.
  public var contentVersion: String
  /// The listed ``ItemFile/identityHint``.
  public var identityHint: String?
  /// For trashing: locators of the photo's other files in its folder, which are trashed with it. A
  /// file outside the list belongs to another photo, whatever its name. Nil: the files that
  /// ``FileGrouping`` groups with it.
  public var others: [String]?

  public init(contentVersion: String, identityHint: String?, others: [String]? = nil) {
    self.contentVersion = contentVersion
    self.identityHint = identityHint
    self.others = others
  }
}
