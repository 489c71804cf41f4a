/// One decision as it is kept.
package struct KeptDecision: Sendable {
  package var number: UInt64
  package var record: DecisionRecord
  /// Nil: too old to be undone, or nothing that can be.
  package var change: DecisionChange?
  /// The newest of the later decisions that set the same, also to the same values, and were not undone; nil: none did.
  package var overriddenBy: UInt64?

  package init(number: UInt64, record: DecisionRecord, change: DecisionChange?) {
    self.number = number
    self.record = record
    self.change = change
  }

  /// Whether it is on an album, which is one whoever changes it: its owner, or an app that is entered with it.
  package var isOnAlbum: Bool { if case .album = change { true } else { false } }
}

/// Looks among later decisions for what overrides one. Values alone do not tell: what was changed
/// and changed back is what somebody decided since.
package struct OverridingSearch: Sendable {
  private struct Later {
    var number: UInt64
    var undoes: UInt64?
    var setsSame: Bool
  }
  private let decision: KeptDecision
  private var later: [Later] = []

  package init(of decision: KeptDecision) { self.decision = decision }

  /// Call with every later one that can be undone, in ascending order.
  package mutating func add(_ next: KeptDecision) {
    let (mine, record) = (decision.record, next.record)
    guard record.library == mine.library, record.app == mine.app || decision.isOnAlbum, record.level == mine.level
    else { return }
    guard let change = next.change, let set = decision.change else { return }
    later.append(Later(number: next.number, undoes: record.undoes, setsSame: change.setsAlso(set)))
  }

  /// What was undone counts as if it had never been, and so does the undo of it; where that was
  /// undone in turn, it stands again.
  package var newest: UInt64? {
    var undone: Set<UInt64> = []
    for next in later.reversed() where !undone.contains(next.number) {
      if let earlier = next.undoes {
        undone.insert(earlier)
        if earlier > decision.number { continue }
      }
      if next.setsSame { return next.number }
    }
    return nil
  }
}
