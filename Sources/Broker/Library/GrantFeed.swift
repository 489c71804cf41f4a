import Catalogue
import PhotoModel

/// Which entries of its library's change log one grant can see, so that positions in it count visible changes only.
///
/// Filled when somebody asks, from the log; nothing is done for a grant that nobody observes.
struct GrantFeed {
  /// How many visible changes can be gone back.
  static let window = 4_096

  /// Everything up to this sequence has been looked at.
  var scanned: UInt64 = 0
  /// Sequences of the visible entries, the newest `window` of them.
  var visible: [UInt64] = []
  /// For each of `visible`, a digest of all visible entries up to it.
  private var digests: [UInt64] = []
  /// How many visible entries came before the first of `visible`.
  var base: UInt64 = 0
  private var baseDigest: UInt64 = 0
  /// The kind of view that this was filled for.
  var generation: UInt32?

  /// How many visible changes there have been in all.
  var position: UInt64 { base + UInt64(visible.count) }

  /// A digest of what has been visible: two feeds with the same one count the same changes.
  var digest: UInt64 { digests.last ?? baseDigest }

  mutating func note(_ entry: ChangeRecord) {
    digests.append(Self.digest(digest, entry))
    visible.append(entry.sequence)
    if visible.count > Self.window {
      let surplus = visible.count - Self.window
      baseDigest = digests[surplus - 1]
      visible.removeFirst(surplus)
      digests.removeFirst(surplus)
      base += UInt64(surplus)
    }
  }

  /// The sequence after which everything is new to somebody with this token; nil where it is too far back or ahead, or
  /// counts other changes. A feed that is filled anew after a restart can count others: of an album that is gone nobody
  /// can tell any more who saw it, and what a disk refused is not in the log.
  func sequence(at token: ChangeToken, since start: UInt64) -> UInt64? {
    guard token.position >= base, token.position <= position else { return nil }
    guard token.position > base else { return base == 0 && token.digest == baseDigest ? start : nil }
    let index = Int(token.position - base - 1)
    return digests[index] == token.digest ? visible[index] : nil
  }

  private static func digest(_ before: UInt64, _ entry: ChangeRecord) -> UInt64 {
    var hash = before
    func mix(_ value: UInt64) {
      hash = (hash ^ value) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 29
    }
    mix(UInt64(entry.kind.rawValue) + 1)
    if let asset = entry.identifier { mix(asset.low) }
    if let album = entry.album { mix(album.low) }
    return hash
  }
}
