/// The tokens of one app. Their holder acts as the app, so they belong in its store alone.
public struct StoredTokens: Codable, Hashable, Sendable {
  /// The token that identifies the app and grants nothing; nil before the app is introduced.
  public var app: String?
  /// The manifest of the last introduction, as JSON.
  public var manifest: String?
  /// The tokens that grant access, by level and library.
  public var grants: [String: String]

  /// Creates a set of tokens.
  public init(app: String? = nil, manifest: String? = nil, grants: [String: String] = [:]) {
    self.app = app
    self.manifest = manifest
    self.grants = grants
  }
}
