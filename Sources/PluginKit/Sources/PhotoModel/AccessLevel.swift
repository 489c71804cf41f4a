/// What an app asks for. Each level has its own prompt and its own stored decision (R1, R2).
public enum AccessLevel: String, Sendable, Hashable, CaseIterable {
  /// Adding photos, and reading nothing.
  case addOnly
  /// Reading and writing: everything, or a selection.
  case readWrite
}
