/// Where an asset's creation date has its offset from UTC from; the answer to an app says which.
public enum DateOrigin: String, Sendable, Hashable, CaseIterable {
  /// The file names an offset beside its date.
  case offset
  /// Worked out from the GPS time in the same file.
  case gps
  /// The file has a date without an offset; the library's time zone was taken.
  case libraryZone
  /// The file has no date; its modification time was taken.
  case file
  /// An owner or an app set it through the broker.
  case edited
}
