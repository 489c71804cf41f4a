/// One page of decisions, newest first.
package struct DecisionPage: Sendable {
  package struct Entry: Sendable {
    /// The decision's ascending number.
    package var number: UInt64
    package var record: DecisionRecord
    /// The state that an undo would restore. Nil: not stored.
    package var scope: UndoScope?
    /// The object of the decision, if stored; only for people who may see photos.
    package var subject: DecisionSubject?

    package init(number: UInt64, record: DecisionRecord, scope: UndoScope?, subject: DecisionSubject? = nil) {
      self.number = number
      self.record = record
      self.scope = scope
      self.subject = subject
    }
  }

  package var entries: [Entry]
  /// The next page's `before`; nil: this is the last page.
  package var next: UInt64?

  package init(entries: [Entry], next: UInt64? = nil) {
    self.entries = entries
    self.next = next
  }
}
