/// The access level that a token is for.
public enum TokenLevel: String, Hashable, Sendable, CaseIterable {
  /// Add assets, read nothing.
  case addOnly
  /// Read and write what the grant allows.
  case readWrite
}
