/// What `CatalogueSnapshot.order` made; handed to `Catalogue.adopt`.
package struct PreparedOrder: Sendable {
  let order: KeyOrder
  /// The state that was sorted: tells which values have changed since.
  let snapshot: Catalogue
  let start: Int
}
