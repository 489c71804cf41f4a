/// What `CatalogueSnapshot.compacted` made; handed to `Catalogue.replace`.
package struct CompactedCatalogue: Sendable {
  let catalogue: Catalogue
  let start: Int
}
