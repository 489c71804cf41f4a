import PhotoModel

/// The metadata of one library in memory. It answers queries; access is decided elsewhere.
///
/// Assets lie in columns in the order of their creation dates. Later ones lie behind them, and a
/// query merges them while it walks. A value type: a copy is a snapshot for a worker, and cheap,
/// because both share unchanged parts.
package struct Catalogue: Sendable {
  var columns: Columns
  var numbers: NumberTable
  /// Index of the slots in date order.
  let index: IdentifierIndex
  /// Index of the slots outside the date order.
  var recent: [AssetIdentifier: UInt32] = [:]
  var attributes: Attributes
  let layout: Layout
  var order: KeyOrder
  /// Prepared orders other than by creation date.
  var prepared: [SortKey: KeyOrder] = [:]
  var journal = Journal()

  package init() {
    self.init(sorted: Columns(), lineage: Layout.Lineage())
  }

  /// Reads a whole library. Rows in order of creation date and identifier, undated ones first, are
  /// appended directly. Others are sorted, which takes twice the memory meanwhile.
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

  /// Assembles decoded parts, which the caller has checked against each other.
  init(columns: Columns, numbers: NumberTable, index: IdentifierIndex, attributes: Attributes) {
    (self.columns, self.numbers, self.index, self.attributes) = (columns, numbers, index, attributes)
    layout = Layout(lineage: Layout.Lineage())
    order = KeyOrder(identity: .creationDate, slots: columns.count)
  }

  /// Number of assets that are not missing, hidden and trashed ones included.
  package var count: Int { attributes.present.count }

  /// Number of slots outside the date order, and of removed ones inside it. A walk visits each of
  /// them.
  package var backlog: Int { order.tail.count + Int(columns.count) - attributes.living.count }

  /// Whether a compaction would speed up walks. A large library, for which it takes up to half a
  /// second of a worker, needs more changes before it is worth it.
  package var isWorthCompacting: Bool { backlog > min(4_096, 128 + count / 8) }
}
