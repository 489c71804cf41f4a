/// The source of the UTC offset in an asset's creation date. Apps see it beside the date.
public enum DateOrigin: String, Sendable, Hashable, CaseIterable {
  /// The file holds an offset beside its date.
  case offset
  /// Computed from the GPS time in the same file.
  case gps
  /// The file holds a date without an offset; the library's time zone applies.
  case libraryZone
  /// The file has no date; its modification time was taken.
  case file
  /// An owner or an app set it through the broker.
  case edited
}
