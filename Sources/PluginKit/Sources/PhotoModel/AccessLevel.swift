/// The access that an app asks for. Each level has its own prompt and decision (R1, R2).
public enum AccessLevel: String, Sendable, Hashable, CaseIterable {
  /// Adds photos and reads none.
  case addOnly
  /// Reads and changes all photos or a selection.
  case readWrite
}
