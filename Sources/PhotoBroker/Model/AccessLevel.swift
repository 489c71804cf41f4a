/// The access that an app asks for.
public enum AccessLevel: String, Hashable, Sendable, CaseIterable {
  /// Adds photos and reads none.
  case addOnly
  /// Reads the photos that the person chose, and changes them as far as the grant allows.
  case readWrite
}
