import Broker
import PhotoModel

/// Ledger entries of one library that were written together, as one blob.
///
/// Format: version 1; tables of the apps, accessors and renditions; the number of entries; the
/// entries. An entry has its time, as the distance to the one before, app, accessor, asset,
/// rendition and bytes. The lowest bit of the rendition's index marks a gap.
enum LedgerBlock {
  static let capacity = 4_096

  static func encode(_ records: some Collection<LedgerRecord>) -> [UInt8] {
    var apps = Table<AppIdentifier>()
    var accessors = Table<Accessor>()
    var renditions = Table<String>()
    var body = ByteWriter(reserving: records.count * 28)
    var time: Int64 = 0
    for record in records {
      body.putCompact(signed: record.time.microseconds &- time)
      time = record.time.microseconds
      body.putCompact(apps.index(of: record.app))
      body.putCompact(accessors.index(of: record.accessor))
      body.put(record.asset)
      body.putCompact(renditions.index(of: record.rendition) << 1 | (record.isGap ? 1 : 0))
      body.putCompact(signed: record.bytes)
    }
    var writer = ByteWriter(reserving: body.bytes.count + 128)
    writer.put(1)
    writer.put(apps.values) { $0.put($1) }
    writer.put(accessors.values) { $0.put($1) }
    writer.put(renditions.values) { $0.put($1) }
    writer.putCompact(UInt64(records.count))
    return writer.bytes + body.bytes
  }

  /// Returns nil for bytes that `encode` did not write.
  static func decode(_ bytes: [UInt8]) -> [LedgerRecord]? {
    var reader = ByteReader(bytes)
    guard reader.byte() == 1, let apps: [AppIdentifier] = reader.list(ofAtLeast: 16, { $0.identifier() }),
      let accessors: [Accessor] = reader.list(ofAtLeast: 16, { $0.identifier() }),
      let renditions = reader.list(ofAtLeast: 1, { $0.text() })
    else { return nil }
    var time: Int64 = 0
    let records = reader.list(ofAtLeast: 21) { reader -> LedgerRecord? in
      guard
        let step = reader.compactSigned(), let app = reader.compact(), app < UInt64(apps.count),
        let accessor = reader.compact(), accessor < UInt64(accessors.count),
        let asset: AssetIdentifier = reader.identifier(),
        let rendition = reader.compact(), rendition >> 1 < UInt64(renditions.count), let size = reader.compactSigned()
      else { return nil }
      time = time &+ step
      return LedgerRecord(
        time: Timestamp(microseconds: time), app: apps[Int(app)], accessor: accessors[Int(accessor)], asset: asset,
        rendition: renditions[Int(rendition >> 1)], bytes: size, isGap: rendition & 1 == 1)
    }
    return reader.isAtEnd ? records : nil
  }

  private struct Table<Value: Hashable> {
    private(set) var values: [Value] = []
    private var indices: [Value: UInt64] = [:]
    private var last: (value: Value, index: UInt64)?

    mutating func index(of value: Value) -> UInt64 {
      if let last, last.value == value { return last.index }
      let index = indices[value] ?? UInt64(values.count)
      if index == UInt64(values.count) {
        values.append(value)
        indices[value] = index
      }
      last = (value, index)
      return index
    }
  }
}
