package import Catalogue

extension LibraryState {
  /// Begins to lay the catalogue out anew: the snapshot goes to a worker, and its result to `adopt`. One at a time.
  package func takeSnapshot() -> CatalogueSnapshot { catalogue.snapshot() }

  /// Takes the new layout, with what changed meanwhile.
  package func adopt(_ compacted: consuming CompactedCatalogue) { catalogue.replace(with: compacted) }
}
