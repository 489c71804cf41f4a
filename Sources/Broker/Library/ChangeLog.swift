import Catalogue
import PhotoModel

/// What happened in one library, in order, since it was last noted for each grant what that saw:
/// the part that is kept in memory and on disk so that apps can catch up.
struct ChangeLog {
  /// With more entries than this the log is folded: each grant keeps of them what it saw, and they
  /// are forgotten. How far back an app's change tokens reach is thus up to time and to what the
  /// app could see; what happened out of its sight moves nothing.
  var capacity = 16_384

  private(set) var entries: [ChangeRecord]
  private(set) var nextSequence: UInt64
  /// Of the last entry that there ever was.
  private(set) var lastSequence: UInt64
  /// Entries up to this sequence are forgotten.
  private(set) var forgotten: UInt64

  init(entries: [ChangeRecord], nextSequence: UInt64, forgotten: UInt64) {
    self.entries = entries
    self.nextSequence = max(nextSequence, (entries.last?.sequence ?? 0) + 1, forgotten + 1)
    self.forgotten = forgotten
    lastSequence = entries.last?.sequence ?? max(forgotten, self.nextSequence - 1)
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
    lastSequence = records.last?.sequence ?? lastSequence
  }

  /// Forgets entries up to a sequence.
  mutating func forget(through sequence: UInt64) {
    entries = Array(since(sequence))
    forgotten = max(forgotten, sequence)
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
}
