package import Catalogue

extension LibraryState {
  /// A snapshot of the catalogue for a worker, which compacts it for `adopt`.
  package func takeSnapshot() -> CatalogueSnapshot { catalogue.snapshot() }

  /// Adopts a sorted order, unless the catalogue was compacted meanwhile.
  package func adopt(_ prepared: consuming PreparedOrder) { catalogue.adopt(prepared) }

  /// Adopts a compacted catalogue, and repeats the changes since the snapshot.
  package func adopt(_ compacted: consuming CompactedCatalogue) { catalogue.replace(with: compacted) }
}
