/// What assets are ordered by.
public enum SortKey: String, Hashable, Sendable, CaseIterable {
  /// When they were taken.
  case creationDate
  /// When they last changed.
  case modificationDate
  /// When they came into the library.
  case addedDate
  /// Their names.
  case filename
  /// Their length.
  case duration
  /// Their size in pixels.
  case pixels
  /// Their places in the album that is fetched, for ``FetchOptions/collection`` alone: its own
  /// order where ``FetchOptions/isAscending``.
  case album
}
