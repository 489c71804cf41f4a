import Catalogue
import PhotoModel

/// What happened in one library, in order: the part that is kept in memory and on disk so that apps can catch up.
struct ChangeLog {
  /// How many entries are kept, of those that are not too old (``BrokerLimits/changeLogPeriod``); older change tokens ask the
  /// app to start anew (PhotoKit's 3105).
  static let capacity = 100_000

  private(set) var entries: [ChangeRecord]
  private(set) var nextSequence: UInt64

  init(entries: [ChangeRecord], nextSequence: UInt64) {
    self.entries = entries
    self.nextSequence = max(nextSequence, (entries.last?.sequence ?? 0) + 1)
  }

  /// Gives the next sequence number to what happened. Nothing is in the log until `append`.
  mutating func makeRecord(
    _ kind: ChangeRecord.Kind, asset: (AssetNumber, AssetIdentifier)? = nil, album: AlbumIdentifier? = nil,
    grant: GrantKey? = nil
  ) -> ChangeRecord {
    defer { nextSequence += 1 }
    return ChangeRecord(
      sequence: nextSequence, kind: kind, asset: asset?.0, identifier: asset?.1, album: album, grant: grant)
  }

  /// Takes records that are now durable. Commits complete in order, so sequences rise.
  mutating func append(_ records: [ChangeRecord]) {
    entries += records
  }

  /// Forgets what is over capacity; answers the first sequence that is still there, or nil where nothing was forgotten.
  mutating func trim() -> UInt64? {
    guard entries.count > Self.capacity + Self.capacity / 4 else { return nil }
    entries.removeFirst(entries.count - Self.capacity)
    return entries.first?.sequence
  }

  /// Forgets entries up to a sequence; answers the first one that is still there, or nil where nothing was forgotten.
  mutating func forget(through sequence: UInt64) -> UInt64? {
    let kept = since(sequence)
    guard kept.count < entries.count else { return nil }
    entries = Array(kept)
    return sequence + 1
  }

  /// Entries with a sequence greater than this one.
  func since(_ sequence: UInt64) -> ArraySlice<ChangeRecord> {
    var low = entries.startIndex
    var high = entries.endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return entries[low...]
  }

  var lastSequence: UInt64 { entries.last?.sequence ?? nextSequence - 1 }
  var firstSequence: UInt64 { entries.first?.sequence ?? nextSequence }
}
