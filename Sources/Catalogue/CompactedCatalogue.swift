package struct CompactedCatalogue: Sendable {
  let catalogue: Catalogue
  let start: Int
}
