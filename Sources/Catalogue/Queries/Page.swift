/// One page of a query's answer.
package struct Page: Sendable {
  /// In the query's order; valid for the catalogue value that answered, until its next change.
  package var positions: [Position]
  /// Where to go on; nil when this was the last page.
  package var next: CursorPosition?

  package init(positions: [Position], next: CursorPosition?) {
    self.positions = positions
    self.next = next
  }
}
