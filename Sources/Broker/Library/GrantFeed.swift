import Catalogue
import PhotoModel

struct SeenChange {
  var kind: ChangeRecord.Kind
  var asset: AssetNumber?
  var identifier: AssetIdentifier?
  var digest: UInt64
}

/// The changes that one view saw, so that positions in it count visible changes only.
struct GrantFeed {
  /// Number of the latest visible changes that are kept.
  static let window = 4_096

  private(set) var seen: [SeenChange] = []
  /// Number and digest of the changes before ``seen``.
  private(set) var earlier: UInt64 = 0
  private(set) var earlierDigest: UInt64 = 0

  init() {}

  /// - Parameter records: the newest changes, oldest first.
  init(_ records: [ChangeRecord], earlier: UInt64, earlierDigest: UInt64) {
    (self.earlier, self.earlierDigest) = (earlier, earlierDigest)
    for record in records { note(record) }
  }

  /// The stored form of ``seen``, numbered from 1.
  var records: [ChangeRecord] {
    seen.enumerated().map { index, change in
      ChangeRecord(
        sequence: UInt64(index) + 1, kind: change.kind, asset: change.asset, identifier: change.identifier)
    }
  }

  var position: UInt64 { earlier + UInt64(seen.count) }

  /// A digest of all visible changes: feeds with the same digest count the same changes.
  var digest: UInt64 { seen.last?.digest ?? earlierDigest }

  mutating func note(_ entry: ChangeRecord) {
    seen.append(
      SeenChange(
        kind: entry.kind, asset: entry.asset, identifier: entry.identifier, digest: Self.digest(digest, entry)))
  }

  /// Drops changes beyond the window. Call it after `note`.
  mutating func trim() {
    let surplus = seen.count - Self.window
    guard surplus > 0 else { return }
    earlierDigest = seen[surplus - 1].digest
    earlier += UInt64(surplus)
    seen.removeFirst(surplus)
  }

  /// The changes since a token; nil if it is too old, or belongs to other changes. A feed that is
  /// refilled after a restart can differ: the viewers of a removed album are unknown then, and
  /// failed commits are not in the log.
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
