/// A column of integers: packed blocks, and the last rows as they are until they fill a block.
struct PackedColumn: Sendable {
  private var sealed: [PackedBlock] = []
  private var open: [Int64] = []

  var count: Int { sealed.count * PackedBlock.rows + open.count }

  subscript(row: UInt32) -> Int64 {
    let block = Int(row) / PackedBlock.rows
    let offset = Int(row) % PackedBlock.rows
    return block < sealed.count ? sealed[block][offset] : open[offset]
  }

  mutating func append(_ value: Int64) {
    if open.isEmpty { open.reserveCapacity(PackedBlock.rows) }
    open.append(value)
    if open.count == PackedBlock.rows {
      sealed.append(PackedBlock(open))
      open.removeAll(keepingCapacity: true)
    }
  }

  mutating func set(_ row: UInt32, to value: Int64) {
    let block = Int(row) / PackedBlock.rows
    let offset = Int(row) % PackedBlock.rows
    if block < sealed.count { sealed[block] = sealed[block].setting(offset, to: value) } else { open[offset] = value }
  }

  /// The rows in another order, or some of them.
  func gathered(_ rows: [UInt32]) -> PackedColumn {
    var result = PackedColumn()
    for row in rows { result.append(self[row]) }
    return result
  }
}
