/// The source of an asset's creation date or of its UTC offset. Apps see it beside the date.
public enum DateOrigin: String, Sendable, Hashable, CaseIterable {
  /// The file holds an offset beside its date.
  case offset
  /// Computed from the GPS time in the same file.
  case gps
  /// The file holds a date without an offset and a place, whose time zone applies.
  case place
  /// The file holds a date without an offset; the library's time zone applies.
  case libraryZone
  /// The file and its name have no date; its modification time was taken.
  case file
  /// An owner or an app set it through the broker.
  case edited
  /// The file has only a year, or year and month. The date is their first instant in the library's
  /// time zone.
  case partial
  /// The file has no date, or one in the future, and its name has one.
  case fileName
  /// The file's date lies in the future and is not believed; its modification time was taken.
  case doubted

  /// Whether the date follows a change of the library's time zone.
  public var isInLibraryZone: Bool { self == .libraryZone || self == .partial || self == .fileName }

  /// Whether the UTC offset is that of the place, and so tells its time zone.
  public var isOfPlace: Bool { self == .place || self == .gps }
}
