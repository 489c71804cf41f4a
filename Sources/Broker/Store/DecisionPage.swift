/// Some decisions, newest first.
package struct DecisionPage: Sendable {
  package struct Entry: Sendable {
    /// Counts up; a decision's name.
    package var number: UInt64
    package var record: DecisionRecord
    /// What undoing it would put back. Nil: that is not kept.
    package var scope: UndoScope?
    /// What it is about, as far as that is kept; for those who see photos only.
    package var subject: DecisionSubject?

    package init(number: UInt64, record: DecisionRecord, scope: UndoScope?, subject: DecisionSubject? = nil) {
      self.number = number
      self.record = record
      self.scope = scope
      self.subject = subject
    }
  }

  package var entries: [Entry]
  /// For the page after this one; nil: this was the last.
  package var next: UInt64?

  package init(entries: [Entry], next: UInt64? = nil) {
    self.entries = entries
    self.next = next
  }
}
