package struct Page: Sendable {
  /// In the query's order; valid for the catalogue value that answered, until its next change.
  package var positions: [Position]
  /// Cursor of the next page; nil: this is the last one.
  package var next: CursorPosition?

  package init(positions: [Position], next: CursorPosition?) {
    self.positions = positions
    self.next = next
  }
}
