import BrokerInterface
import Catalogue
import Macaroons
import PhotoModel
import Testing
import Varlink

@testable import Broker
@testable import BrokerService

struct AssetWriterTests {
  private static func seals() throws -> AppSeals {
    let library = LibraryRecord(
      name: try #require(LibraryName("photos")), owner: 1_000, backend: "directory", options: [:], offeredTo: [],
      zoneOffsetMinutes: 0, rootKey: [UInt8](repeating: 7, count: 32))
    return try AppSeals(rootKey: library.rootKey, of: "an app")
  }

  private static func row(_ number: UInt32) -> AssetRow {
    AssetRow(
      number: AssetNumber(number), identifier: AssetIdentifier(high: UInt64(number), low: 5),
      addedDate: Timestamp(microseconds: -1), modificationDate: Timestamp(microseconds: 1_700_000_000_123_456))
  }

  static let rows: [AssetRow] = {
    var rows = MediaType.allCases.enumerated().map { number, type in
      var row = row(UInt32(number))
      row.mediaType = type
      row.durationMilliseconds = 1_500
      return row
    }
    for (number, origin) in DateOrigin.allCases.enumerated() {
      var row = row(UInt32(10 + number))
      row.creationDate = Timestamp(microseconds: Int64(number) * 1_000_000)
      row.dateOrigin = origin
      row.width = UInt32.max
      row.height = 3_024
      rows.append(row)
    }
    for (number, name) in ["IMG_0001.JPG", "Été \"à\" Zürich\\.heic", String(repeating: "\u{1}", count: 255)]
      .enumerated()
    {
      var row = row(UInt32(20 + number))
      row.fileName = name
      row.subtypes = MediaSubtypes(rawValue: number == 0 ? 0x7FF : UInt32(number))
      row.flags = number == 0 ? [.favourite, .cloudShared] : []
      row.location = GeoPoint(latitudeE7: -338_688_123, longitudeE7: number == 0 ? 1 : 1_800_000_000)
      rows.append(row)
    }
    return rows
  }()

  @Test func `R40 written fields equal the interface's declaration`() throws {
    let seals = try Self.seals()
    var writer = JSONWriter()
    try AssetWriter(AssetPage(Self.rows), seals: seals, withholding: []).write(to: &writer)
    let read = try [Library.Asset](message: writer.bytes, rules: .server)
    let versions = try seals.versions(of: Self.rows)
    let expected = try zip(Self.rows, versions).map { row, version in
      let digits = String(version, radix: 16)
      let isTimed = row.mediaType == .video || row.mediaType == .audio
      return Library.Asset(
        localIdentifier: try seals.seal(row.identifier).description, mediaType: row.mediaType.name,
        mediaSubtypes: row.subtypes.isEmpty ? nil : MediaSubtypes.names.filter { row.subtypes.contains($0.0) }.map(\.1),
        creationDate: row.creationDate?.microseconds, creationDateOrigin: row.dateOrigin?.rawValue,
        modificationDate: row.modificationDate.microseconds, addedDate: row.addedDate.microseconds,
        pixelWidth: Int64(row.width), pixelHeight: Int64(row.height),
        duration: isTimed ? Int64(row.durationMilliseconds) : nil, isFavorite: row.flags.contains(.favourite),
        latitude: row.location?.latitude, longitude: row.location?.longitude, filename: row.fileName,
        sourceType: row.sourceType.rawValue, version: String(repeating: "0", count: 16 - digits.count) + digits)
    }
    #expect(read == expected)
  }

  @Test func `R150 an asset whose place is withheld says no place`() throws {
    let seals = try Self.seals()
    var (withPlace, without) = (Self.rows[0], Self.rows[0])
    withPlace.location = GeoPoint(latitudeE7: 123_456_789, longitudeE7: 1)
    without.location = nil
    // The version is encrypted for the app, and may differ.
    func written(_ row: AssetRow, _ withheld: WithheldFacts) throws -> Library.Asset {
      var writer = JSONWriter()
      try AssetWriter(AssetPage([row]), seals: seals, withholding: withheld).write(to: &writer)
      var asset = try [Library.Asset](message: writer.bytes, rules: .server)[0]
      asset.version = ""
      return asset
    }
    #expect(try written(withPlace, .location) == written(without, .location))
    #expect(try written(withPlace, .captions) != written(without, .captions))
  }

  @Test func `a version changes with every visible change and only then`() throws {
    let seals = try Self.seals()
    let row = try #require(Self.rows.first { $0.fileName == "IMG_0001.JPG" })
    let changes: [(inout AssetRow) -> Void] = [
      { $0.fileName += "x" }, { $0.fileName = String($0.fileName.dropLast()) }, { $0.fileName = "JMG_0001.JPG" },
      { $0.flags.remove(.favourite) }, { $0.width += 1 }, { $0.location = nil },
      { $0.creationDate = Timestamp(microseconds: 9) },
      { $0.modificationDate = Timestamp(microseconds: 9) }, { $0.subtypes = [] }, { $0.durationMilliseconds += 1 },
    ]
    let changed = changes.map { change in
      var other = row
      change(&other)
      return other
    }
    var same = row
    same.version += 1
    let versions = try seals.versions(of: [row, same] + changed)
    #expect(versions[0] == versions[1])
    #expect(Set(versions).count == changes.count + 1)
  }
}
