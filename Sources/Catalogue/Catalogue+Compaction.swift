extension Catalogue {
  /// Begins work on a copy. Every later change is recorded until `replace`, `adopt` or `discard`;
  /// call exactly one of them for each snapshot.
  package mutating func snapshot() -> CatalogueSnapshot {
    let start = journal.open()
    return CatalogueSnapshot(catalogue: self, start: start)
  }

  /// Adopts a compacted copy and applies the changes since then, a few microseconds each. Positions
  /// and prepared orders become invalid; selections and cursors stay valid.
  package mutating func replace(with compacted: consuming CompactedCatalogue) {
    var next = compacted.catalogue
    // Every snapshot refers to its own entries, so the journal is kept unchanged.
    let changes = Set(journal.changed[compacted.start...])
    // Removals first, because an identifier may have moved from one asset to another.
    for number in changes where numbers[number.rawValue] == nil { next.take(number, from: self) }
    for number in changes.sorted() where numbers[number.rawValue] != nil { next.take(number, from: self) }
    next.journal = journal
    next.journal.close()
    layout.close(columns[.number], living: attributes.living)
    self = next
  }

  /// Adopts a sorted order, so that queries by its key walk it instead of testing all matches.
  /// - Returns: False if the catalogue was compacted since; the order has to be prepared again.
  @discardableResult
  package mutating func adopt(_ prepared: consuming PreparedOrder) -> Bool {
    defer { journal.close() }
    guard prepared.snapshot.layout === layout, prepared.order.key != .creationDate else { return false }
    var order = prepared.order
    let then = prepared.snapshot
    for number in Set(journal.changed[prepared.start...]) {
      // An asset that was removed and returned lies in another slot.
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
  package func isPrepared(_ key: SortKey) -> Bool { resolved(key) == .creationDate || prepared[key] != nil }

  /// Brings one asset to its state in `other`.
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
