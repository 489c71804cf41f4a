import Catalogue
import PhotoModel

/// The store's copy of one library's catalogue, which spares the next start from reading every
/// asset.
package final class CatalogueCopy {
  /// Number of commits given to the store that change assets. A steady number means that the library
  /// is idle.
  package private(set) var commits = 0
  /// ``commits`` at the last copy; nil: none since the start.
  private var copiedAt: Int?
  private let library: LibraryName
  private let store: any Store

  init(of contents: LibraryContents, store: any Store) {
    library = contents.record.name
    copiedAt = contents.isCatalogueKept ? 0 : nil
    self.store = store
  }

  /// Whether the store has a copy of the present catalogue.
  package var isCurrent: Bool { copiedAt == commits }

  func noteCommit(of changes: [StoreChange]) {
    if changes.contains(where: \.changesAsset) { commits += 1 }
  }

  /// Makes a written copy the stored catalogue, unless assets changed since.
  package func keep(_ written: KeptCatalogue, at count: Int) {
    guard count == commits else { return store.discard(written) }
    copiedAt = count
    // Queued before the next change of an asset, and commits complete in order.
    store.commit([.keepCatalogue(library, written)]) { [self] failure in
      guard failure != nil else { return }
      if copiedAt == count { copiedAt = nil }
      store.discard(written)
    }
  }
}

extension StoreChange {
  fileprivate var changesAsset: Bool {
    switch self {
    case .putAsset, .updateRow, .removeAsset: true
    default: false
    }
  }
}
