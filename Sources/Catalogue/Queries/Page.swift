package struct Page: Sendable {
  /// The positions of the found assets, in the query's order. They are valid in the catalogue that
  /// answered, until its next change.
  package var positions: [Position]
  /// Cursor of the next page; nil: this is the last one.
  package var next: CursorPosition?

  package init(positions: [Position], next: CursorPosition?) {
    self.positions = positions
    self.next = next
  }
}
