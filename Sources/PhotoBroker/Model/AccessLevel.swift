/// What an app asks for: to add only, or to read and change what it is shown.
public enum AccessLevel: String, Hashable, Sendable, CaseIterable {
  /// Adding photos; nothing can be read.
  case addOnly
  /// Reading what the person chose, and changing it as far as the grant allows.
  case readWrite
}
