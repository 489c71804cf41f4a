import Catalogue
import PhotoModel

/// The log of changes in one library, in order, since the last fold. It is kept in memory and on
/// disk, so that apps can catch up.
struct ChangeLog {
  /// Number of entries above which the log is folded: each grant stores the changes that it saw,
  /// and the log drops the entries. The reach of an app's change tokens thus depends on time and
  /// visible changes only, and invisible changes do not shorten it.
  var capacity = 16_384

  private(set) var entries: [ChangeRecord]
  private(set) var nextSequence: UInt64
  /// Sequence of the last entry, which may have been dropped.
  private(set) var lastSequence: UInt64
  /// Entries up to this sequence have been dropped.
  private(set) var forgotten: UInt64

  init(entries: [ChangeRecord], nextSequence: UInt64, forgotten: UInt64) {
    self.entries = entries
    self.nextSequence = max(nextSequence, (entries.last?.sequence ?? 0) + 1, forgotten + 1)
    self.forgotten = forgotten
    lastSequence = entries.last?.sequence ?? max(forgotten, self.nextSequence - 1)
  }

  /// Creates a record with the next sequence number. It enters the log with `append`.
  mutating func makeRecord(
    _ kind: ChangeRecord.Kind, asset: (AssetNumber, AssetIdentifier)? = nil, album: AlbumIdentifier? = nil,
    grant: GrantKey? = nil
  ) -> ChangeRecord {
    defer { nextSequence += 1 }
    return ChangeRecord(
      sequence: nextSequence, kind: kind, asset: asset?.0, identifier: asset?.1, album: album, grant: grant)
  }

  /// Appends records after their commit. Commits complete in order, so sequences rise.
  mutating func append(_ records: [ChangeRecord]) {
    entries += records
    lastSequence = records.last?.sequence ?? lastSequence
  }

  mutating func forget(through sequence: UInt64) {
    entries = Array(since(sequence))
    forgotten = max(forgotten, sequence)
  }

  func since(_ sequence: UInt64) -> ArraySlice<ChangeRecord> {
    entries[entries.partitioningIndex { $0.sequence > sequence }...]
  }
}
