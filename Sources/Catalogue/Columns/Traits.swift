import PhotoModel

/// An asset's small fields, packed into one integer. From the lowest bit: media type (2), flags
/// (5), location known (1), date origin (4), time zone (7, in quarters of an hour), shifted by its
/// place (1), subtypes (32), and the flag of missing assets (1).
/// Common values are small, so that blocks of ordinary photos pack well.
struct Traits: Equatable {
  var mediaType: MediaType
  var flags: AssetFlags
  var hasLocation: Bool
  var dateOrigin: DateOrigin?
  var zoneMinutes: Int16?
  var isShifted: Bool
  var subtypes: MediaSubtypes

  private static let origins: [DateOrigin?] = [
    nil, .offset, .gps, .libraryZone, .file, .edited, .partial, .fileName, .doubted, .place,
  ]

  /// Encodes UTC itself; 0 means no zone.
  private static let zoneOrigin: Int16 = 64

  /// Quarters of an hour; nil for an offset that no zone uses.
  private static func quarters(_ minutes: Int16) -> Int16? {
    minutes % 15 == 0 && (-15 * 60...15 * 60).contains(Int(minutes)) ? minutes / 15 : nil
  }

  init(_ row: AssetRow) {
    mediaType = row.mediaType
    flags = row.flags.intersection(AssetFlags(rawValue: 1 << AssetFlags.bits - 1))
    hasLocation = row.location != nil
    dateOrigin = row.creationDate == nil ? nil : row.dateOrigin
    zoneMinutes = row.creationDate == nil ? nil : row.zoneMinutes.flatMap(Self.quarters).map { Int16($0) * 15 }
    isShifted = row.creationDate != nil && row.placeShiftMinutes != 0
    subtypes = row.subtypes
  }

  init(packed: Int64) {
    let bits = UInt64(bitPattern: packed)
    mediaType = MediaType(rawValue: UInt8(bits & 3)) ?? .unknown
    flags = AssetFlags(rawValue: UInt8(bits >> 2 & 31 | (bits >> 52 & 1) << 5))
    hasLocation = bits >> 7 & 1 == 1
    let origin = Int(bits >> 8 & 15)
    dateOrigin = origin < Self.origins.count ? Self.origins[origin] : nil
    let zone = Int16(bits >> 12 & 127)
    zoneMinutes = zone == 0 ? nil : (zone - Self.zoneOrigin) * 15
    isShifted = bits >> 19 & 1 == 1
    subtypes = MediaSubtypes(rawValue: UInt32(truncatingIfNeeded: bits >> 20))
  }

  var packed: Int64 {
    let origin: UInt64 =
      switch dateOrigin {
      case nil: 0
      case .offset?: 1
      case .gps?: 2
      case .libraryZone?: 3
      case .file?: 4
      case .edited?: 5
      case .partial?: 6
      case .fileName?: 7
      case .doubted?: 8
      case .place?: 9
      }
    let low = UInt64(mediaType.rawValue & 3) | UInt64(flags.rawValue & 31) << 2 | (hasLocation ? 128 : 0)
    let zone = zoneMinutes.flatMap(Self.quarters).map { UInt64($0 + Self.zoneOrigin) } ?? 0
    return Int64(
      bitPattern: low | origin << 8 | zone << 12 | (isShifted ? 1 << 19 : 0) | UInt64(subtypes.rawValue) << 20
        | UInt64(flags.rawValue >> 5 & 1) << 52)
  }
}
