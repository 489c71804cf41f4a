import Broker
import Catalogue
import PhotoModel

/// What it takes to undo a decision, as one blob: version 1; the rights before and after, each as status, whether paused, the
/// end (0: none; else 1 and the time) and the album policy; then what was added and what was removed, each as a number of
/// chunks with index and bytes.
enum DecisionChangeCode {
  static func encode(_ change: DecisionChange) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(1)
    for rights in [change.before, change.after] {
      writer.putCompact(UInt64(rights.status.rawValue))
      writer.put(rights.isPaused ? 1 : 0)
      writer.put(rights.expires == nil ? 0 : 1)
      if let end = rights.expires { writer.putCompact(signed: end.microseconds) }
      writer.put(rights.albumPolicy)
    }
    for chunks in [change.added, change.removed] {
      writer.putCompact(UInt64(chunks.count))
      for chunk in chunks {
        writer.putCompact(UInt64(chunk.index))
        writer.put(chunk.bytes)
      }
    }
    return writer.bytes
  }

  /// Nil for bytes that `encode` does not write.
  static func decode(_ bytes: [UInt8]) -> DecisionChange? {
    var reader = ByteReader(bytes)
    guard reader.byte() == 1, let before = rights(&reader), let after = rights(&reader), let added = chunks(&reader),
      let removed = chunks(&reader), reader.isAtEnd
    else { return nil }
    return DecisionChange(before: before, after: after, added: added, removed: removed)
  }

  private static func rights(_ reader: inout ByteReader) -> GrantRights? {
    guard let number = reader.compact(), let raw = AuthorizationStatus.RawValue(exactly: number),
      let status = AuthorizationStatus(rawValue: raw), let isPaused = reader.byte(), let hasEnd = reader.byte()
    else { return nil }
    var end: Timestamp?
    if hasEnd == 1 {
      guard let time = reader.compactSigned() else { return nil }
      end = Timestamp(microseconds: time)
    }
    guard let policy = reader.text() else { return nil }
    return GrantRights(status: status, isPaused: isPaused == 1, expires: end, albumPolicy: policy)
  }

  private static func chunks(_ reader: inout ByteReader) -> [SelectionChunk]? {
    guard let count = reader.count(ofAtLeast: 2) else { return nil }
    var chunks: [SelectionChunk] = []
    for _ in 0..<count {
      guard let number = reader.compact(), let index = UInt32(exactly: number), let bytes = reader.bytes() else { return nil }
      chunks.append(SelectionChunk(index: index, bytes: bytes))
    }
    return chunks
  }
}
