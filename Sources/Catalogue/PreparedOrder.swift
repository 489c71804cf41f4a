package struct PreparedOrder: Sendable {
  let order: KeyOrder
  /// The sorted state, from which later changes are found.
  let snapshot: Catalogue
  let start: Int
}
