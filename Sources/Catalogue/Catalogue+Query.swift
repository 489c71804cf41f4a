import PhotoModel

extension Catalogue {
  /// One page of a query's answer. Assets are filtered before they are counted, so only the last
  /// page is short (R40).
  ///
  /// A page after a cursor takes no longer than the first one. If the library changes between
  /// pages, every asset that stays and does not move still appears exactly once and in order.
  /// - Parameters:
  /// - cursor: End of the previous page; nil: the start.
  /// - skip: Number of assets to skip, counted in bits if sorted by creation date. Negative counts
  ///   as 0.
  /// - limit: Most rows; below 1 gives an empty page.
  /// - Throws: `foreignCursor` for a cursor of another sort key.
  package func page(
    _ query: Query, in view: View, after cursor: CursorPosition? = nil, skip: Int = 0, limit: Int
  ) throws(CatalogueError) -> Page {
    if let cursor, cursor.sort != query.sortKey { throw .foreignCursor() }
    guard limit > 0, let plan = QueryPlan(query, in: view, self) else { return Page(positions: [], next: nil) }
    let after = cursor.map { SortPlace(value: $0.value, identifier: $0.identifier) }
    // One more than requested, to find out whether there is a next page.
    let wanted = min(limit, Int(Self.limit)) + 1
    let skip = min(max(skip, 0), Int(Self.limit))
    var slots: [UInt32] = []
    if let order = usable(resolved(query.sortKey), plan, wanted + skip) {
      slots.reserveCapacity(min(wanted, 1_024))
      var walk = OrderWalk(order, plan, columns, after: after, ascending: query.ascending)
      var left = walk.skip(skip)
      walk.forEach { slot in
        if left > 0 { left -= 1 } else { slots.append(slot) }
        return slots.count < wanted
      }
    } else {
      slots = Array(scan(query, plan, after: after, limit: wanted + skip).dropFirst(skip))
    }
    guard slots.count == wanted else { return Page(positions: slots.map(Position.init), next: nil) }
    slots.removeLast()
    let next = slots.last.map {
      CursorPosition(
        sort: query.sortKey, value: columns.sortValue(query.sortKey, $0), identifier: columns.identifiers[$0])
    }
    return Page(positions: slots.map(Position.init), next: next)
  }

  /// The latest of some assets by creation date, newest first. Includes hidden, never-share and
  /// trashed assets, and leaves out missing and removed ones.
  package func latest(_ count: Int, of assets: [AssetNumber]) -> [AssetRow] {
    var query = Query()
    query.members = [selection(of: assets)]
    return rows((try? page(query, in: .owner, limit: count))?.positions ?? [])
  }

  /// Most assets that an answer to a query may test one by one; 0 if bit sets alone decide. It does
  /// not depend on invisible assets. Above some thousands, query a copy of the catalogue on a
  /// worker.
  package func effort(_ query: Query, in view: View) -> Int {
    let isFiltered =
      query.box != nil || query.place != nil || query.addedFrom != nil || query.fileName != nil
      || !query.text.isEmpty || query.anySubtypes.rawValue.nonzeroBitCount > 1
    if let identifiers = query.identifiers { return identifiers.count }
    guard isFiltered || resolved(query.sortKey) != .creationDate, let plan = QueryPlan(query, in: view, self) else {
      return 0
    }
    return plan.sieve.count(in: 0..<columns.count)
  }

  /// Number of matching assets; the sort key has no effect.
  package func count(_ query: Query = Query(), in view: View) -> Int {
    QueryPlan(query, in: view, self).map(count) ?? 0
  }

  /// Number of matching assets in each box, in one pass.
  package func counts(in boxes: [GeoBox], _ query: Query, in view: View) -> [Int] {
    var counts = [Int](repeating: 0, count: boxes.count)
    guard var plan = QueryPlan(query, in: view, self) else { return counts }
    plan.sieve.require(attributes.located)
    forEachMatch(plan) { slot in
      let point = columns.location(slot)
      for (place, box) in boxes.enumerated() where box.contains(point) { counts[place] += 1 }
    }
    return counts
  }

  private func count(_ plan: QueryPlan) -> Int {
    if plan.created == nil, plan.filter.isTrivial { return plan.sieve.count(in: 0..<columns.count) }
    var walk = OrderWalk(order, plan, columns, after: nil, ascending: true)
    return walk.count()
  }

  package func countByMediaType(_ query: Query = Query(), in view: View) -> MediaTypeCounts {
    var counts = MediaTypeCounts()
    guard let plan = QueryPlan(query, in: view, self) else { return counts }
    if query.identifiers != nil || !plan.filter.isTrivial {
      forEachMatch(plan) { counts[columns.traits($0).mediaType] += 1 }
      return counts
    }
    for type in MediaType.allCases where query.mediaTypes?.contains(type) ?? true {
      var one = plan
      one.sieve.require(attributes.type(type))
      counts[type] = count(one)
    }
    return counts
  }

  private func forEachMatch(_ plan: QueryPlan, _ body: (UInt32) -> Void) {
    if let candidates = plan.candidates, plan.created == nil {
      for slot in candidates
      where plan.sieve.contains(slot) && (plan.filter.isTrivial || plan.filter.matches(slot, columns)) {
        body(slot)
      }
      return
    }
    var walk = OrderWalk(order, plan, columns, after: nil, ascending: true)
    walk.forEach {
      body($0)
      return true
    }
  }

  /// All matching assets as a selection, for a rule such as a date range or the last N videos, or
  /// for its preview.
  /// - Parameter limit: Only the first ones in the query's order; nil: all.
  package func selection(matching query: Query, in view: View, limit: Int? = nil) -> Selection {
    guard let plan = QueryPlan(query, in: view, self) else { return emptySelection() }
    if let limit {
      let page = try? page(query, in: view, limit: limit)
      return Selection(layout: layout, positions: PositionSet((page?.positions ?? []).map(\.slot)))
    }
    if plan.created == nil, plan.filter.isTrivial {
      return Selection(layout: layout, positions: plan.sieve.collected(upTo: columns.count))
    }
    var slots: [UInt32] = []
    var walk = OrderWalk(order, plan, columns, after: nil, ascending: true)
    walk.forEach {
      slots.append($0)
      return true
    }
    return Selection(layout: layout, positions: PositionSet(slots))
  }

  /// The key whose order answers a query by `key`. Without shifted assets both dates are the same, so
  /// no second order is needed. The time of an answer then tells whether the library has any, not
  /// whether the view has.
  func resolved(_ key: SortKey) -> SortKey {
    key == .creationDateWithoutPlace && attributes.shifted.isEmpty ? .creationDate : key
  }

  /// The order to walk; nil if none is prepared, or if a test of all matches is cheaper.
  private func usable(_ key: SortKey, _ plan: QueryPlan, _ wanted: Int) -> KeyOrder? {
    if key == .creationDate { return order }
    guard let order = prepared[key] else { return nil }
    // A scan costs about 50 ns for each of m matches. A walk meets one in count/m ranks, at about 3
    // ns a rank.
    let matches = plan.sieve.count(in: 0..<columns.count)
    let (square, overflow) = matches.multipliedReportingOverflow(by: matches)
    return overflow || square > Int(columns.count) * wanted / 16 ? order : nil
  }

  private func scan(_ query: Query, _ plan: QueryPlan, after: SortPlace?, limit: Int) -> [UInt32] {
    var filter = plan.filter
    filter.created = plan.created
    var top = TopRows(limit: limit, ascending: query.ascending)
    plan.sieve.walk(0..<columns.count, ascending: true) { slot in
      guard filter.isTrivial || filter.matches(slot, columns) else { return true }
      let place = SortPlace(value: columns.sortValue(query.sortKey, slot), identifier: columns.identifiers[slot])
      if let after, query.ascending ? !(after < place) : !(place < after) { return true }
      top.offer(place, slot)
      return true
    }
    return top.slots()
  }
}
