package import Broker
package import Catalogue

/// Defaults for stores in memory.
extension Store {
  package func write(_ catalogue: Catalogue) -> KeptCatalogue? { nil }
  package func discard(_ written: KeptCatalogue) {}

  package func captions(
    of assets: [AssetNumber], in library: LibraryName, completion: @escaping StoreCompletion<[AssetNumber: String]>
  ) {
    self.assets(of: library) { found in
      completion(
        found.map { found in
          let known = found.filter { assets.contains($0.row.number) }.compactMap { asset in
            asset.caption.map { (asset.row.number, $0) }
          }
          return Dictionary(known) { first, _ in first }
        })
    }
  }

  package func assets(
    of library: LibraryName, in scope: AssetScope, completion: @escaping StoreCompletion<[AssetRecord]>
  ) {
    assets(of: library) { completion($0.map { $0.filter(scope.contains) }) }
  }
}
