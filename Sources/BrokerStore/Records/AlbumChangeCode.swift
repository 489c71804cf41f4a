import Broker
import Catalogue
import PhotoModel

/// An ``AlbumChange`` as part of a blob; see ``DecisionChangeCode``.
enum AlbumChangeCode {
  static func encode(_ change: AlbumChange, to writer: inout ByteWriter) {
    writer.put(change.album.high, change.album.low)
    for facts in [change.before, change.after] { put(facts, &writer) }
    writer.putCompact(UInt64(change.added.count))
    for asset in change.added { writer.putCompact(UInt64(asset.rawValue)) }
    writer.putCompact(UInt64(change.removed.count))
    var last = 0
    for place in change.removed {
      writer.putCompact(UInt64(place.index - last))
      writer.putCompact(UInt64(place.asset.rawValue))
      last = place.index
    }
  }

  static func decode(_ reader: inout ByteReader) -> AlbumChange? {
    guard let words = reader.words(), let before = facts(&reader), let after = facts(&reader),
      let added = reader.count(ofAtLeast: 1)
    else { return nil }
    var change = AlbumChange(
      album: AlbumIdentifier(high: words.high, low: words.low), before: before.value, after: after.value, added: [],
      removed: [])
    for _ in 0..<added {
      guard let asset = number(&reader) else { return nil }
      change.added.append(asset)
    }
    guard let removed = reader.count(ofAtLeast: 2) else { return nil }
    var last = 0
    for _ in 0..<removed {
      guard let step = reader.compact().flatMap(UInt32.init(exactly:)), let asset = number(&reader) else { return nil }
      last += Int(step)
      change.removed.append(AlbumChange.Place(index: last, asset: asset))
    }
    return change
  }

  /// The album's title after the change, or before its deletion; reads no further.
  static func title(_ reader: inout ByteReader) -> String? {
    guard reader.words() != nil, let before = facts(&reader), let after = facts(&reader) else { return nil }
    return after.value?.title ?? before.value?.title
  }

  private static func number(_ reader: inout ByteReader) -> AssetNumber? {
    reader.compact().flatMap(UInt32.init(exactly:)).map { AssetNumber($0) }
  }

  private static func put(_ facts: AlbumChange.Facts?, _ writer: inout ByteWriter) {
    writer.put(facts == nil ? 0 : 1)
    guard let facts else { return }
    writer.put(facts.title)
    writer.put(facts.isShared ? 1 : 0)
    writer.put(facts.creator == nil ? 0 : 1)
    if let creator = facts.creator { writer.put(creator.value.high, creator.value.low) }
    writer.put(facts.source.rawValue)
    writer.putCompact(signed: facts.created.microseconds)
  }

  /// Optional facts, distinct from a failed read.
  private struct MaybeFacts {
    var value: AlbumChange.Facts?
  }

  private static func facts(_ reader: inout ByteReader) -> MaybeFacts? {
    guard let isThere = reader.byte() else { return nil }
    guard isThere == 1 else { return isThere == 0 ? MaybeFacts() : nil }
    guard let title = reader.text(), let isShared = reader.byte(), let hasCreator = reader.byte() else { return nil }
    var creator: AppIdentifier?
    if hasCreator == 1 {
      guard let words = reader.words() else { return nil }
      creator = AppIdentifier(high: words.high, low: words.low)
    }
    guard let source = reader.text().flatMap(SourceType.init(rawValue:)), let created = reader.compactSigned() else {
      return nil
    }
    return MaybeFacts(
      value: AlbumChange.Facts(
        title: title, isShared: isShared == 1, creator: creator, source: source,
        created: Timestamp(microseconds: created)))
  }
}
