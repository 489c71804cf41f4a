package import Catalogue

extension LibraryState {
  /// Whether the store has a copy of the present catalogue, so that the next start need not read
  /// every asset.
  package var isCatalogueKept: Bool { keptAt == contentCommits }

  /// Number of commits that changed assets; a steady number means that the library is idle.
  package var contentChanges: Int { contentCommits }

  /// The committed catalogue for a worker to write and hand to `keep`; nil while a commit is
  /// running.
  package func catalogueToKeep() -> (catalogue: Catalogue, at: Int)? { isBusy ? nil : (catalogue, contentCommits) }

  /// Makes a written copy the stored catalogue, unless assets changed since.
  package func keep(_ written: KeptCatalogue, at count: Int) {
    guard count == contentCommits else { return store.discard(written) }
    keptAt = count
    // Queued before the next change of an asset, and commits complete in order.
    store.keep([.keepCatalogue(record.name, written)]) { [self] failure in
      guard failure != nil else { return }
      if keptAt == count { keptAt = nil }
      store.discard(written)
    }
  }
}

extension StoreChange {
  var changesAsset: Bool {
    switch self {
    case .putAsset, .updateRow, .removeAsset: true
    default: false
    }
  }
}
