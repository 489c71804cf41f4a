/// One stored decision.
package struct KeptDecision: Sendable {
  package var number: UInt64
  package var record: DecisionRecord
  /// Nil: too old to undo, or nothing to undo. In a page of decisions without its assets.
  package var change: DecisionChange?
  /// The newest later decision that set the same property, even to the same value, and was not
  /// undone; nil: none.
  package var overriddenBy: UInt64?

  package init(number: UInt64, record: DecisionRecord, change: DecisionChange?) {
    self.number = number
    self.record = record
    self.change = change
  }

  /// Whether it is about an album. An album's decisions belong together whether its owner or an app
  /// made them.
  package var isOnAlbum: Bool { change?.isOnAlbum ?? false }
}

/// Finds the later decision that overrides one. Values are not enough: a change and its reversal
/// also override.
package struct OverridingSearch: Sendable {
  private struct Later {
    var number: UInt64
    var undoes: UInt64?
    var setsSame: Bool
  }
  private let decision: KeptDecision
  private var later: [Later] = []

  package init(of decision: KeptDecision) { self.decision = decision }

  /// Adds a later decision that can be undone. Call it for each, in ascending order.
  package mutating func add(_ next: KeptDecision) {
    let (mine, record) = (decision.record, next.record)
    guard record.library == mine.library, record.app == mine.app || decision.isOnAlbum, record.level == mine.level
    else { return }
    guard let change = next.change, let set = decision.change else { return }
    later.append(Later(number: next.number, undoes: record.undoes, setsSame: change.setsAlso(set)))
  }

  /// The newest overriding decision. An undone decision and its undo do not count; if the undo was
  /// undone, the decision counts again.
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
