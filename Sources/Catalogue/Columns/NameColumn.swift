struct NameColumn: Sendable {
  private var sealed: [NameBlock] = []
  private var open: [[UInt8]] = []

  init() {}

  func withBytes<R>(_ row: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    let block = Int(row) / NameBlock.rows
    let offset = Int(row) % NameBlock.rows
    return block < sealed.count
      ? sealed[block].withBytes(offset, body) : open[offset].withUnsafeBufferPointer(body)
  }

  mutating func append(_ name: [UInt8]) {
    open.append(name)
    guard open.count == NameBlock.rows else { return }
    sealed.append(NameBlock(open))
    open.removeAll(keepingCapacity: true)
  }

  mutating func set(_ row: UInt32, to name: [UInt8]) {
    guard !withBytes(row, { $0.elementsEqual(name) }) else { return }
    let block = Int(row) / NameBlock.rows
    let offset = Int(row) % NameBlock.rows
    if block < sealed.count { sealed[block] = sealed[block].setting(offset, to: name) } else { open[offset] = name }
  }

  func gathered(_ rows: [UInt32]) -> (bytes: [UInt8], ends: [Int32]) {
    var ends: [Int32] = []
    ends.reserveCapacity(rows.count)
    let bytes = [UInt8](unsafeUninitializedCapacity: rows.count * NameBlock.limitBytes) { buffer, filled in
      for row in rows {
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled...])
        let block = Int(row) / NameBlock.rows
        let offset = Int(row) % NameBlock.rows
        filled +=
          block < sealed.count ? sealed[block].copy(offset, to: rest) : rest.update(fromContentsOf: open[offset])
        ends.append(Int32(truncatingIfNeeded: filled))
      }
    }
    return (bytes, ends)
  }

  func gathered(_ rows: [UInt32]) -> NameColumn {
    var result = NameColumn()
    for row in rows { result.append(withBytes(row) { Array($0) }) }
    return result
  }

  func encode(to writer: inout SlabWriter) {
    writer.put(sealed.count, open.count)
    for block in sealed { block.encode(to: &writer) }
    for name in open {
      writer.put(UInt64(name.count))
      writer.put(name)
    }
  }

  init(decoding reader: inout SlabReader, rows: Int) throws(CatalogueError) {
    let counts = try reader.counts()
    try reader.expect(counts.high < NameBlock.rows && counts.low * NameBlock.rows + counts.high == rows)
    sealed.reserveCapacity(counts.low)
    for _ in 0..<counts.low {
      let block = try NameBlock(decoding: &reader)
      try reader.expect(block.count == NameBlock.rows)
      sealed.append(block)
    }
    for _ in 0..<counts.high {
      let length = try reader.word()
      try reader.expect(length <= NameBlock.limitBytes)
      open.append(Array(try reader.array(Int(length), of: UInt8.self).values))
    }
  }

  /// Cut between characters beyond 255 bytes.
  static func bytes(_ name: String) -> [UInt8] {
    let bytes = Array(name.utf8)
    guard bytes.count > NameBlock.limitBytes else { return bytes }
    var end = NameBlock.limitBytes
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(bytes[..<end])
  }
}
