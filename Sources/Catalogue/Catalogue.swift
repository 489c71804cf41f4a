import PhotoModel

/// The metadata of one library in memory: who may see what is asked elsewhere, this answers what is there.
///
/// Assets lie in columns in the order of their creation dates; what came later lies behind them and is merged while a
/// query walks. A value: a copy is a snapshot that a worker may read, cheap because both share what does not change.
package struct Catalogue: Sendable {
  var columns: Columns
  var numbers: NumberTable
  /// Of the slots that lie in date order.
  let index: IdentifierIndex
  /// Of the slots behind them.
  var recent: [AssetIdentifier: UInt32] = [:]
  var attributes: Attributes
  let layout: Layout
  var order: KeyOrder
  /// Orders other than by creation date, as far as they were prepared.
  var prepared: [SortKey: KeyOrder] = [:]
  var journal = Journal()

  /// An empty library.
  package init() {
    self.init(sorted: Columns(), lineage: Layout.Lineage())
  }

  /// Reads a whole library. Rows that come in order of (creation date, identifier), undated ones first, are laid down
  /// as they come; others are sorted, which takes twice the memory meanwhile.
  /// - Throws: `duplicateNumber`, `duplicateIdentifier`, `limitExceeded`.
  package init(_ rows: some Sequence<AssetRow>) throws(CatalogueError) {
    var builder = CatalogueBuilder()
    for row in rows { try builder.append(row) }
    self = try builder.finish()
  }

  init(sorted columns: Columns, lineage: Layout.Lineage) {
    self.columns = columns
    numbers = NumberTable()
    for slot in 0..<columns.count {
      self.numbers.set(UInt32(truncatingIfNeeded: columns[.number, slot]), to: slot)
    }
    index = IdentifierIndex(columns.identifiers)
    attributes = Attributes(columns)
    layout = Layout(lineage: lineage)
    order = KeyOrder(identity: .creationDate, slots: columns.count)
  }

  /// From parts that fit together.
  init(columns: Columns, numbers: NumberTable, index: IdentifierIndex, attributes: Attributes) {
    (self.columns, self.numbers, self.index, self.attributes) = (columns, numbers, index, attributes)
    layout = Layout(lineage: Layout.Lineage())
    order = KeyOrder(identity: .creationDate, slots: columns.count)
  }

  /// How many assets exist, hidden and trashed ones included.
  package var count: Int { attributes.living.count }

  /// How many assets lie outside the date order, or lie in it and are gone: walks look at each of them.
  package var backlog: Int { order.tail.count + Int(columns.count) - count }

  /// Whether walks would gain from a new layout. In a small library that is made soon; in a large
  /// one, where it takes up to half a second of a worker, not for each few changes.
  package var isWorthCompacting: Bool { backlog > min(4_096, 128 + count / 8) }
}
