/// The access level of a token.
public enum TokenLevel: String, Hashable, Sendable, CaseIterable {
  /// Add assets; read nothing.
  case addOnly
  /// Read and write as far as the grant allows.
  case readWrite
}
