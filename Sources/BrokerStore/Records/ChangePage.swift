import Broker
import Catalogue
import PhotoModel

/// Entries of a library's change log that became durable together, as one blob. An edit of a
/// thousand photos writes a few pages instead of a thousand rows.
///
/// Format: version 1; the number of grants; each grant's 16 bytes of app and its level; the
/// entries. An entry has its sequence, as the distance to the one before, and a byte of kind and
/// present fields. Then come asset, identifier, album and index of the grant, as far as present.
enum ChangePage {
  private struct Parts: OptionSet {
    var rawValue: UInt8
    static let asset = Parts(rawValue: 1 << 4)
    static let identifier = Parts(rawValue: 1 << 5)
    static let album = Parts(rawValue: 1 << 6)
    static let grant = Parts(rawValue: 1 << 7)
  }

  static func encode(_ records: [ChangeRecord]) -> [UInt8] {
    var grants: [GrantKey: UInt64] = [:]
    var table: [GrantKey] = []
    for case let key? in records.lazy.map(\.grant) where grants[key] == nil {
      grants[key] = UInt64(table.count)
      table.append(key)
    }
    var writer = ByteWriter(reserving: records.count * 24 + 32)
    writer.put(1)
    writer.put(table) { writer, key in
      writer.put(key.app)
      writer.put(key.level == .readWrite ? 1 : 0)
    }
    var last: UInt64 = 0
    for record in records {
      writer.putCompact(record.sequence &- last)
      last = record.sequence
      var parts: Parts = []
      if record.asset != nil { parts.insert(.asset) }
      if record.identifier != nil { parts.insert(.identifier) }
      if record.album != nil { parts.insert(.album) }
      if record.grant != nil { parts.insert(.grant) }
      writer.put(record.kind.rawValue | parts.rawValue)
      if let asset = record.asset { writer.putCompact(UInt64(asset.rawValue)) }
      if let identifier = record.identifier { writer.put(identifier) }
      if let album = record.album { writer.put(album) }
      if let grant = record.grant, let index = grants[grant] { writer.putCompact(index) }
    }
    return writer.bytes
  }

  /// Returns nil for bytes that `encode` did not write.
  static func decode(_ bytes: [UInt8], of library: LibraryName) -> [ChangeRecord]? {
    var reader = ByteReader(bytes)
    guard reader.byte() == 1 else { return nil }
    let grants = reader.list(ofAtLeast: 17) { reader -> GrantKey? in
      guard let app: AppIdentifier = reader.identifier(), let level = reader.byte(), level <= 1 else { return nil }
      return GrantKey(library: library, app: app, level: level == 1 ? .readWrite : .addOnly)
    }
    guard let grants else { return nil }
    var records: [ChangeRecord] = []
    var last: UInt64 = 0
    while !reader.isAtEnd {
      guard let step = reader.compact(), let head = reader.byte(), let kind = ChangeRecord.Kind(rawValue: head & 0xf)
      else {
        return nil
      }
      last = last &+ step
      var record = ChangeRecord(sequence: last, kind: kind)
      let parts = Parts(rawValue: head)
      if parts.contains(.asset) {
        guard let number = reader.compact().flatMap(UInt32.init(exactly:)) else { return nil }
        record.asset = AssetNumber(number)
      }
      if parts.contains(.identifier) {
        guard let identifier: AssetIdentifier = reader.identifier() else { return nil }
        record.identifier = identifier
      }
      if parts.contains(.album) {
        guard let album: AlbumIdentifier = reader.identifier() else { return nil }
        record.album = album
      }
      if parts.contains(.grant) {
        guard let index = reader.compact(), index < UInt64(grants.count) else { return nil }
        record.grant = grants[Int(index)]
      }
      records.append(record)
    }
    return records
  }
}
