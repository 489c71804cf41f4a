package import Catalogue

extension LibraryState {
  /// Whether the store has the catalogue as it is, so that the next start need not read every asset.
  package var isCatalogueKept: Bool { keptAt == contentCommits }

  /// Commits that changed assets so far: tells whether the library has come to rest.
  package var contentChanges: Int { contentCommits }

  /// The catalogue as it is on the disk, to be written by a worker and handed to `keep`; nil while
  /// a change is on its way.
  package func catalogueToKeep() -> (catalogue: Catalogue, at: Int)? { isBusy ? nil : (catalogue, contentCommits) }

  /// Has the store take a written copy for the catalogue, unless assets have changed since it was taken.
  package func keep(_ written: KeptCatalogue, at count: Int) {
    guard count == contentCommits else { return store.discard(written) }
    keptAt = count
    // Given before the next change of an asset, and commits complete in order.
    store.keep([.keepCatalogue(record.name, written)]) { [self] failure in
      guard failure != nil else { return }
      if keptAt == count { keptAt = nil }
      store.discard(written)
    }
  }
}

extension StoreChange {
  /// Whether it changes what the catalogue holds.
  var changesAsset: Bool {
    switch self {
    case .putAsset, .updateRow, .removeAsset, .putAway: true
    default: false
    }
  }
}
