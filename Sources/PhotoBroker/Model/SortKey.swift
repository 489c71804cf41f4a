/// The property by which assets are sorted.
public enum SortKey: String, Hashable, Sendable, CaseIterable {
  /// Time of capture.
  case creationDate
  /// Time of the last change.
  case modificationDate
  /// Time at which the asset came into the library.
  case addedDate
  /// File name.
  case filename
  /// Length.
  case duration
  /// Number of pixels.
  case pixels
  /// Position in ``FetchOptions/collection``, and only valid with it. Ascending order is the
  /// album's own.
  case album
}
