package import Catalogue

extension LibraryState {
  /// Begins to lay the catalogue out anew: the snapshot goes to a worker, and its result to `adopt`.
  package func takeSnapshot() -> CatalogueSnapshot { catalogue.snapshot() }

  /// Takes a sorted order; without effect where the catalogue was laid out anew meanwhile.
  package func adopt(_ prepared: consuming PreparedOrder) { catalogue.adopt(prepared) }

  /// Takes the new layout, with what changed meanwhile.
  package func adopt(_ compacted: consuming CompactedCatalogue) { catalogue.replace(with: compacted) }
}
