/// The tokens of one app: whoever holds them is the app, so they go nowhere but into its store.
public struct StoredTokens: Codable, Hashable, Sendable {
  /// Says who the app is, and grants nothing. Nil: the app has not been introduced.
  public var app: String?
  /// The manifest that the broker was told last.
  public var manifest: String?
  /// The tokens that grant access, by level and library.
  public var grants: [String: String]

  /// These tokens.
  public init(app: String? = nil, manifest: String? = nil, grants: [String: String] = [:]) {
    self.app = app
    self.manifest = manifest
    self.grants = grants
  }
}
