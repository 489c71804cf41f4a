/// A catalogue at one moment, for a worker that compacts or sorts it while the original keeps
/// changing.
package struct CatalogueSnapshot: Sendable {
  package let catalogue: Catalogue
  /// Start of this snapshot's changes in the original's journal.
  let start: Int

  /// All assets in date order, without a tail. Takes half a second for a million assets.
  package func compacted() -> CompactedCatalogue {
    CompactedCatalogue(catalogue: catalogue.laidOut(), start: start)
  }

  package func order(by key: SortKey) -> PreparedOrder {
    PreparedOrder(
      order: KeyOrder(sorting: key, catalogue.columns, living: catalogue.attributes.living), snapshot: catalogue,
      start: start)
  }
}

extension Catalogue {
  /// A catalogue that `encode` accepts: itself if it is compact, else a compacted copy. Belongs on
  /// a worker.
  package func compacted() -> Catalogue { isCompact ? self : laidOut() }

  fileprivate func laidOut() -> Catalogue {
    var slots: [UInt32] = []
    slots.reserveCapacity(Int(columns.count))
    if let plan = QueryPlan(Query(), in: .everything, self) {
      var walk = OrderWalk(order, plan, columns, after: nil, ascending: true)
      walk.forEach {
        slots.append($0)
        return true
      }
    }
    return Catalogue(sorted: columns.gathered(slots), lineage: layout.lineage)
  }
}
