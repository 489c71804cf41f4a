import Catalogue
import PhotoModel
import TestSupport

/// Makes random assets with many equal values, so that ties, missing fields and every filter occur.
struct Rows {
  var random: SeededGenerator
  private var nextNumber: UInt32 = 1

  init(seed: UInt64) { random = SeededGenerator(seed) }

  static let names = [
    "IMG_1.JPG", "img_1.jpg", "Été à Zürich.heic", "E\u{301}te\u{301} a\u{300} Zu\u{308}rich.heic", "ete.heic",
    "straße.png", "",
    "Zebra.MOV", "ÀB.jpg", "b",
  ]

  mutating func next() -> AssetRow {
    defer { nextNumber += 1 }
    var row = AssetRow(
      number: AssetNumber(nextNumber), identifier: AssetIdentifier(high: random.next(), low: random.next()),
      addedDate: Timestamp(microseconds: 0), modificationDate: Timestamp(microseconds: 0))
    fill(&row)
    return row
  }

  /// Changes all fields that may change.
  mutating func fill(_ row: inout AssetRow) {
    let isDated = chance(9)
    row.creationDate = isDated ? time() : nil
    row.zoneMinutes = isDated && Bool.random(using: &random) ? Int16.random(in: -56...56, using: &random) * 15 : nil
    row.dateOrigin = isDated ? DateOrigin.allCases.randomElement(using: &random) : nil
    row.placeShiftMinutes =
      row.dateOrigin?.isOfPlace == true && row.zoneMinutes != nil ? Int16.random(in: -2...2, using: &random) : 0
    row.addedDate = time()
    row.modificationDate = time()
    row.mediaType = chance(6) ? .image : MediaType.allCases.randomElement(using: &random) ?? .image
    row.subtypes = MediaSubtypes(rawValue: UInt32(random.next() & random.next() & random.next() & 0x7FF))
    row.flags = AssetFlags(rawValue: UInt8(random.next() & random.next() & random.next() & 63))
    row.width = UInt32(Int.random(in: 0...3, using: &random)) * 1_000
    row.height = chance(9) ? 3_024 : UInt32.random(in: 0...9_000, using: &random)
    row.durationMilliseconds = chance(7) ? 0 : UInt32.random(in: 0...100_000, using: &random)
    row.location =
      chance(5)
      ? nil
      : GeoPoint(
        latitudeE7: Int32.random(in: -900_000_000...900_000_000, using: &random),
        longitudeE7: Int32.random(in: -1_800_000_000...1_800_000_000, using: &random))
    row.place = chance(5) ? nil : UInt32.random(in: 0...3, using: &random)
    row.version = UInt32.random(in: 0...9, using: &random)
    row.fileName = Self.names.randomElement(using: &random) ?? ""
  }

  mutating func chance(_ ofTen: Int) -> Bool { Int.random(in: 0..<10, using: &random) < ofTen }

  private mutating func time() -> Timestamp {
    let unit: Int64 = chance(7) ? 1_000_000 : 1
    return Timestamp(microseconds: Int64.random(in: -40...40, using: &random) * unit)
  }
}
