/// One page of decisions, newest first.
package struct DecisionPage: Sendable {
  package var entries: [KeptDecision]
  /// The next page's `before`; nil: this is the last page.
  package var next: UInt64?

  package init(entries: [KeptDecision], next: UInt64? = nil) {
    self.entries = entries
    self.next = next
  }
}
