package import Catalogue

/// Somebody who watches one grant's view. Told that something may have happened; fetches what it was when it can take it,
/// so that a slow reader costs nothing and loses nothing but the steps in between.
package final class ChangeObserver {
  package let grant: GrantState
  package let subset: Selection?
  let signal: () -> Void
  var token: ChangeToken
  /// The albums that the grant shows, or what may be done with them, are others than when it was last told.
  var seesOtherAlbums = false

  init(grant: GrantState, subset: Selection?, token: ChangeToken, signal: @escaping () -> Void) {
    self.grant = grant
    self.subset = subset
    self.token = token
    self.signal = signal
  }
}

/// A point in one grant's feed: which kind of view, how many visible changes there had been, and which ones.
struct ChangeToken: Equatable {
  var generation: UInt32
  var position: UInt64
  /// ``GrantFeed/digest`` at that position.
  var digest: UInt64

  var bytes: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: generation >> UInt32(8 * $0)) }
      + [position, digest].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
  }

  init(generation: UInt32, position: UInt64, digest: UInt64) {
    self.generation = generation
    self.position = position
    self.digest = digest
  }

  init?(bytes: [UInt8]) {
    guard bytes.count == 20 else { return nil }
    generation = bytes[..<4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    position = bytes[4..<12].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    digest = bytes[12...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
