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
  /// How many visible entries came before the first of `visible`.
  var base: UInt64 = 0
  /// The kind of view that this was filled for.
  var generation: UInt32?

  /// How many visible changes there have been in all.
  var position: UInt64 { base + UInt64(visible.count) }

  mutating func note(_ sequence: UInt64) {
    visible.append(sequence)
    if visible.count > Self.window {
      let surplus = visible.count - Self.window
      visible.removeFirst(surplus)
      base += UInt64(surplus)
    }
  }

  /// The sequence after which everything is new to somebody at this position; nil where it is too far back or ahead.
  func sequence(at position: UInt64, since start: UInt64) -> UInt64? {
    guard position >= base, position <= self.position else { return nil }
    if position > base { return visible[Int(position - base - 1)] }
    return base == 0 ? start : nil
  }
}
