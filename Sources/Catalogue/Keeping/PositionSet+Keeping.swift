extension PositionSet {
  func encode(to writer: inout SlabWriter) {
    writer.put(UInt64(chunks.count))
    for chunk in chunks { chunk.encode(to: &writer) }
  }

  /// - Parameter limit: Exclusive upper bound of the members.
  init(decoding reader: inout SlabReader, below limit: UInt32) throws(CatalogueError) {
    let count = try reader.word()
    try reader.expect(count <= (UInt64(limit) + 0xFFFF) >> 16)
    var chunks: [PositionChunk] = []
    for index in 0..<count {
      let chunk = try PositionChunk(decoding: &reader)
      try reader.expect((chunk.last.map { index << 16 | UInt64($0) } ?? 0) < limit)
      chunks.append(chunk)
    }
    self.init(chunks: chunks)
  }
}

extension PositionChunk {
  fileprivate var last: UInt16? {
    switch self {
    case .absent: return nil
    case .full: return .max
    case .array(let values): return values.last
    case .bits(let words, _):
      guard let index = (0..<BitWords.count).last(where: { words.words[$0] != 0 }) else { return nil }
      return UInt16(truncatingIfNeeded: index << 6 | (63 - words.words[index].leadingZeroBitCount))
    }
  }

  fileprivate func encode(to writer: inout SlabWriter) {
    switch self {
    case .absent: writer.put(0, 0)
    case .full: writer.put(1, 0)
    case .array(let values):
      writer.put(2, values.count)
      writer.put(values)
    case .bits(let words, _):
      writer.put(3, BitWords.count)
      writer.put(UnsafeBufferPointer(start: words.words, count: BitWords.count))
    }
  }

  fileprivate init(decoding reader: inout SlabReader) throws(CatalogueError) {
    let (form, count) = try reader.counts()
    switch form {
    case 0: self = .absent
    case 1: self = .full
    case 2:
      try reader.expect((1...Self.arrayLimit).contains(count))
      let values = try reader.array(count, of: UInt16.self).values
      try reader.expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
      self = .array(Array(values))
    default:
      try reader.expect(count == BitWords.count)
      self = .init(owning: BitWords(copying: try reader.array(count, of: UInt64.self)))
    }
  }
}
