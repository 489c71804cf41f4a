import Catalogue
import PhotoModel

/// One change as somebody saw it.
struct SeenChange {
  var kind: ChangeRecord.Kind
  var asset: AssetNumber?
  var identifier: AssetIdentifier?
  /// A digest of all that was seen, up to this one.
  var digest: UInt64
}

/// The changes that were visible in one view, so that positions in it count visible changes only.
struct GrantFeed {
  /// How many visible changes can be gone back.
  static let window = 4_096

  /// The newest `window` of them.
  private(set) var seen: [SeenChange] = []
  /// How many came before those, and a digest of them.
  private(set) var earlier: UInt64 = 0
  private(set) var earlierDigest: UInt64 = 0

  init() {}

  /// - Parameter records: The newest ones, oldest first.
  init(_ records: [ChangeRecord], earlier: UInt64, earlierDigest: UInt64) {
    (self.earlier, self.earlierDigest) = (earlier, earlierDigest)
    // An earlier version noted albums too.
    for record in records where record.kind != .album { note(record) }
  }

  /// As they are kept: `seen`, numbered from 1.
  var records: [ChangeRecord] {
    seen.enumerated().map { index, change in
      ChangeRecord(
        sequence: UInt64(index) + 1, kind: change.kind, asset: change.asset, identifier: change.identifier)
    }
  }

  /// How many visible changes there have been in all.
  var position: UInt64 { earlier + UInt64(seen.count) }

  /// A digest of what has been visible: two feeds with the same one count the same changes.
  var digest: UInt64 { seen.last?.digest ?? earlierDigest }

  mutating func note(_ entry: ChangeRecord) {
    seen.append(
      SeenChange(
        kind: entry.kind, asset: entry.asset, identifier: entry.identifier, digest: Self.digest(digest, entry)))
  }

  /// Forgets what is beyond the window. Call after `note`.
  mutating func trim() {
    let surplus = seen.count - Self.window
    guard surplus > 0 else { return }
    earlierDigest = seen[surplus - 1].digest
    earlier += UInt64(surplus)
    seen.removeFirst(surplus)
  }

  /// What is new to somebody with this token; nil where it is too far back or ahead, or counts
  /// other changes. A feed that is filled anew after a restart can count others: of an album that
  /// is gone nobody can tell any more who saw it, and what a disk refused is not in the log.
  func since(_ token: ChangeToken) -> ArraySlice<SeenChange>? {
    guard token.position >= earlier, token.position <= position else { return nil }
    let index = Int(token.position - earlier)
    return token.digest == (index == 0 ? earlierDigest : seen[index - 1].digest) ? seen[index...] : nil
  }

  private static func digest(_ before: UInt64, _ entry: ChangeRecord) -> UInt64 {
    var digest = StateDigest(before)
    digest.mix(UInt64(entry.kind.rawValue) + 1)
    if let asset = entry.identifier { digest.mix(asset.low) }
    return digest.value
  }
}
