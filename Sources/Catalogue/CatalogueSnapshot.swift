/// A catalogue at one moment, for a worker that lays it out anew or sorts it while the living one goes on changing.
package struct CatalogueSnapshot: Sendable {
  package let catalogue: Catalogue
  /// Where the living catalogue's journal of later changes begins.
  let start: Int

  /// All living assets in date order, nothing behind them. Half a second for a million assets.
  package func compacted() -> CompactedCatalogue {
    var slots: [UInt32] = []
    slots.reserveCapacity(catalogue.count)
    if let plan = QueryPlan(Query(), in: .owner, catalogue) {
      var walk = OrderWalk(catalogue.order, plan, catalogue.columns, after: nil, ascending: true)
      walk.forEach {
        slots.append($0)
        return true
      }
    }
    let laidOut = Catalogue(
      sorted: catalogue.columns.gathered(slots), numbers: catalogue.numbers.forgettingSlots(),
      lineage: catalogue.layout.lineage)
    return CompactedCatalogue(catalogue: laidOut, start: start)
  }

  /// Another order than by creation date, sorted.
  package func order(by key: SortKey) -> PreparedOrder {
    PreparedOrder(
      order: KeyOrder(sorting: key, catalogue.columns, living: catalogue.attributes.living), snapshot: catalogue,
      start: start)
  }
}
