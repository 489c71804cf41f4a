/// A catalogue at one moment, for a worker that lays it out anew or sorts it while the living one goes on changing.
package struct CatalogueSnapshot: Sendable {
  package let catalogue: Catalogue
  /// Where the living catalogue's journal of later changes begins.
  let start: Int

  /// All living assets in date order, nothing behind them. Half a second for a million assets.
  package func compacted() -> CompactedCatalogue {
    CompactedCatalogue(catalogue: catalogue.laidOut(), start: start)
  }

  /// Another order than by creation date, sorted.
  package func order(by key: SortKey) -> PreparedOrder {
    PreparedOrder(
      order: KeyOrder(sorting: key, catalogue.columns, living: catalogue.attributes.living), snapshot: catalogue,
      start: start)
  }
}

extension Catalogue {
  /// As bytes are made of it: itself where nothing lies behind, else laid out anew. Meant for a worker.
  package func compacted() -> Catalogue { isCompact ? self : laidOut() }

  fileprivate func laidOut() -> Catalogue {
    var slots: [UInt32] = []
    slots.reserveCapacity(count)
    if let plan = QueryPlan(Query(), in: .owner, self) {
      var walk = OrderWalk(order, plan, columns, after: nil, ascending: true)
      walk.forEach {
        slots.append($0)
        return true
      }
    }
    return Catalogue(sorted: columns.gathered(slots), lineage: layout.lineage)
  }
}
