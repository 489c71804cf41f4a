package import PhotoModel

/// A capture date from a file: local time, perhaps with its UTC offset.
package struct CaptureDate: Sendable, Hashable {
  /// The entry of the file that the date comes from, best first.
  package enum Source: String, Sendable { case original, digitized, xmp, iptc, text, gps, container }
  /// `tag`: stated in the file. `gps`: the difference to GPS time. `utc`: the date's source counts
  /// in UTC, and the local time is unknown.
  package enum OffsetSource: String, Sendable { case tag, gps, utc }

  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int
  package var microsecond: Int
  package var source: Source
  /// Whether only the year, or year and month, are known; the other fields are those of the first
  /// instant.
  package var isPartial = false
  /// Minutes east of UTC, -720 to 840; nil if the file does not tell, and the library's time zone
  /// applies.
  package var offsetMinutes: Int?
  package var offsetSource: OffsetSource?

  /// The local time as if it were UTC: subtract an offset to get the moment.
  package var localTimestamp: Timestamp {
    // Days by the civil calendar. Years start in March, so that the leap day comes last. All fields
    // are validated.
    let y = month <= 2 ? year - 1 : year
    let era = y / 400
    let ofEra = y - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
    return Timestamp(microseconds: Int64(seconds) * 1_000_000 + Int64(microsecond))
  }

  /// The offset's origin, as apps receive it.
  package var origin: DateOrigin {
    if isPartial { return .partial }
    return switch offsetSource {
    case .tag, .utc: .offset
    case .gps: .gps
    case nil: .libraryZone
    }
  }
}
