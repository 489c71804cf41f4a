extension Catalogue {
  /// Begins work on a copy: every change from here on is remembered until the work is handed back to `replace` or
  /// `adopt`, or given up with `discard`. Exactly one of these for each snapshot.
  package mutating func snapshot() -> CatalogueSnapshot {
    let start = journal.open()
    return CatalogueSnapshot(catalogue: self, start: start)
  }

  /// Gives a snapshot up.
  package mutating func discard(_ snapshot: consuming CatalogueSnapshot) { journal.close() }

  /// Takes the new layout and applies what changed meanwhile, a few microseconds for each change. Positions and
  /// prepared orders are void; selections and cursors stay good.
  package mutating func replace(with compacted: consuming CompactedCatalogue) {
    var next = compacted.catalogue
    // Every snapshot counts on its own entries, so the journal goes along as it is.
    let changes = Set(journal.changed[compacted.start...])
    // Removals first: an identifier may have gone from one asset to another.
    for number in changes where numbers[number.rawValue] == nil { next.take(number, from: self) }
    for number in changes.sorted() where numbers[number.rawValue] != nil { next.take(number, from: self) }
    next.journal = journal
    next.journal.close()
    layout.close(columns[.number], living: attributes.living)
    self = next
  }

  /// Takes a sorted order, so that queries by it walk instead of looking at all that match.
  /// - Returns: false where the catalogue was laid out anew since; prepare it again.
  @discardableResult
  package mutating func adopt(_ prepared: consuming PreparedOrder) -> Bool {
    defer { journal.close() }
    guard prepared.snapshot.layout === layout, prepared.order.key != .creationDate else { return false }
    var order = prepared.order
    let then = prepared.snapshot
    for number in Set(journal.changed[prepared.start...]) {
      // What went and came back lies in another slot.
      let (old, new) = (then.numbers[number.rawValue], numbers[number.rawValue])
      let value = old.map { then.columns.sortValue(order.key, $0) }
      if old == new, value == new.map({ columns.sortValue(order.key, $0) }) { continue }
      if let old, let value { order.detach(old, oldValue: value) }
      if let new { order.attach(new, columns) }
    }
    self.prepared[order.key] = order
    return true
  }

  /// Whether queries by this key walk a sorted order.
  package func isPrepared(_ key: SortKey) -> Bool { key == .creationDate || prepared[key] != nil }

  /// Brings one asset to the state that it has in `other`.
  private mutating func take(_ number: AssetNumber, from other: Catalogue) {
    let raw = number.rawValue
    switch (numbers[raw], other.numbers[raw]) {
    case (_?, let theirs?): try? update(other.columns.row(theirs))
    case (_?, nil): remove(number)
    case (nil, let theirs?): try? insert(other.columns.row(theirs))
    case (nil, nil): break
    }
  }
}
