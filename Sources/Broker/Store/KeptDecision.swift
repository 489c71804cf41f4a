/// One decision as it is kept.
package struct KeptDecision: Sendable {
  package var record: DecisionRecord
  /// Nil: too old to be undone, or nothing that can be.
  package var change: DecisionChange?

  package init(record: DecisionRecord, change: DecisionChange?) {
    self.record = record
    self.change = change
  }
}
