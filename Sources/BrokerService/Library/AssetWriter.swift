import Broker
import BrokerInterface
import Catalogue
import PhotoModel
import Varlink

/// Writes assets as an app sees them. Field by field into the reply, without a value in between: a page of a hundred is the
/// most frequent answer there is.
struct AssetWriter {
  private let rows: [AssetRow]
  private let identifiers: [AssetIdentifier]
  private let versions: [UInt64]

  init(_ rows: [AssetRow], seals: AppSeals) throws(CallFailure) {
    self.rows = rows
    do throws(BrokerError) {
      identifiers = try seals.seal(rows.map(\.identifier))
      versions = try seals.versions(of: rows)
    } catch { throw .broker(error) }
  }

  func write(to writer: inout JSONWriter) {
    writer.beginArray()
    for index in rows.indices { write(rows[index], identifiers[index], versions[index], to: &writer) }
    writer.endArray()
  }

  private func write(_ row: AssetRow, _ identifier: AssetIdentifier, _ version: UInt64, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("localIdentifier")
    writer.write(hex128: UInt128(identifier.high) << 64 | UInt128(identifier.low))
    writer.field("mediaType", row.mediaType.name)
    if !row.subtypes.isEmpty { writer.field("mediaSubtypes", Self.names(of: row.subtypes)) }
    if let date = row.creationDate {
      writer.field("creationDate", date.microseconds)
      if let origin = row.dateOrigin { writer.field("creationDateOrigin", origin.rawValue) }
    }
    writer.field("modificationDate", row.modificationDate.microseconds)
    writer.field("addedDate", row.addedDate.microseconds)
    writer.field("pixelWidth", Int64(row.width))
    writer.field("pixelHeight", Int64(row.height))
    if row.mediaType == .video || row.mediaType == .audio { writer.field("duration", Int64(row.durationMilliseconds)) }
    writer.field("isFavorite", row.flags.contains(.favourite))
    if let location = row.location {
      writer.field("latitude", location.latitude)
      writer.field("longitude", location.longitude)
    }
    writer.field("filename", row.fileName)
    writer.field("sourceType", row.sourceType.rawValue)
    writer.field("version", Self.text(of: version))
    writer.endObject()
  }

  static func names(of subtypes: MediaSubtypes) -> [String] {
    MediaSubtypes.names.compactMap { subtypes.contains($0.0) ? $0.1 : nil }
  }

  /// 16 hexadecimal digits.
  static func text(of version: UInt64) -> String {
    let digits = String(version, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
