/// A column of integers: packed blocks, and the last rows unpacked until they fill a block.
struct PackedColumn: Sendable {
  private var sealed: [PackedBlock] = []
  private var open: [Int64] = []

  init() {}

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

  /// Reads several rows. Neighbours mostly lie in one block, which then reads them together.
  func values(_ rows: ArraySlice<UInt32>) -> [Int64] {
    [Int64](unsafeUninitializedCapacity: rows.count) { values, filled in
      rows.withUnsafeBufferPointer { read($0, into: values) }
      filled = rows.count
    }
  }

  func read(_ rows: UnsafeBufferPointer<UInt32>, into values: UnsafeMutableBufferPointer<Int64>) {
    var start = 0
    while start < rows.count {
      let index = Int(rows[start]) / PackedBlock.rows
      var end = start + 1
      while end < rows.count, Int(rows[end]) / PackedBlock.rows == index { end += 1 }
      if index < sealed.count {
        sealed[index].read(
          UnsafeBufferPointer(rebasing: rows[start..<end]),
          into: UnsafeMutableBufferPointer(rebasing: values[start..<end]))
      } else {
        for place in start..<end { values[place] = open[Int(rows[place]) % PackedBlock.rows] }
      }
      start = end
    }
  }

  func gathered(_ rows: [UInt32]) -> PackedColumn {
    var result = PackedColumn()
    for start in stride(from: 0, to: rows.count, by: PackedBlock.rows) {
      let values = values(rows[start..<min(start + PackedBlock.rows, rows.count)])
      if values.count == PackedBlock.rows { result.sealed.append(PackedBlock(values)) } else { result.open = values }
    }
    return result
  }

  func encode(to writer: inout SlabWriter) {
    writer.put(sealed.count, open.count)
    for block in sealed { block.encode(to: &writer) }
    writer.put(open)
  }

  init(decoding reader: inout SlabReader, rows: Int) throws(CatalogueError) {
    let counts = try reader.counts()
    try reader.expect(counts.high < PackedBlock.rows && counts.low * PackedBlock.rows + counts.high == rows)
    sealed.reserveCapacity(counts.low)
    for _ in 0..<counts.low {
      let block = try PackedBlock(decoding: &reader)
      try reader.expect(block.count == PackedBlock.rows)
      sealed.append(block)
    }
    open = Array(try reader.array(counts.high, of: Int64.self).values)
  }
}
