/// Some decisions, newest first.
package struct DecisionPage: Sendable {
  package struct Entry: Sendable {
    /// Counts up; a decision's name.
    package var number: UInt64
    package var record: DecisionRecord
    /// Whether what it takes to undo it is kept.
    package var hasChange: Bool

    package init(number: UInt64, record: DecisionRecord, hasChange: Bool) {
      self.number = number
      self.record = record
      self.hasChange = hasChange
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
