/// A map from asset number to slot. Copies share chunks.
struct NumberTable: Sendable {
  private static let width: UInt32 = 4_096
  private static let unused = UInt32.max
  private var chunks: [[UInt32]] = []

  init() {}

  /// Nil if no asset has this number.
  subscript(number: UInt32) -> UInt32? {
    let entry = entry(number)
    return entry == Self.unused ? nil : entry
  }

  mutating func set(_ number: UInt32, to slot: UInt32) { write(number, slot) }
  mutating func remove(_ number: UInt32) { write(number, Self.unused) }

  /// Visits the assets of 65,536 numbers, with the lower half of the number and the slot.
  func forEach(inChunk chunk: UInt32, _ body: (UInt16, UInt32) -> Void) {
    let perChunk = 65_536 / Int(Self.width)
    for index in Int(chunk) * perChunk..<(Int(chunk) + 1) * perChunk where index < chunks.count {
      chunks[index].withUnsafeBufferPointer { entries in
        for (offset, entry) in entries.enumerated() where entry != Self.unused {
          body(UInt16(truncatingIfNeeded: index * Int(Self.width) + offset), entry)
        }
      }
    }
  }

  func encode(to writer: inout SlabWriter) {
    writer.put(UInt64(chunks.count))
    for chunk in chunks {
      writer.put(UInt64(chunk.count))
      writer.put(chunk)
    }
  }

  init(decoding reader: inout SlabReader, slots: UInt32) throws(CatalogueError) {
    let count = try reader.word()
    try reader.expect(count <= UInt64(Catalogue.limit / Self.width))
    chunks.reserveCapacity(Int(count))
    for _ in 0..<count {
      let size = try reader.word()
      try reader.expect(size == 0 || size == UInt64(Self.width))
      let chunk = try reader.array(Int(size), of: UInt32.self).values
      // One more than the largest; 0 for an unused number.
      let next = chunk.reduce(UInt32(0)) { max($0, $1 &+ 1) }
      try reader.expect(next <= slots)
      chunks.append(Array(chunk))
    }
  }

  private func entry(_ number: UInt32) -> UInt32 {
    let chunk = Int(number / Self.width)
    guard chunk < chunks.count, !chunks[chunk].isEmpty else { return Self.unused }
    return chunks[chunk][Int(number % Self.width)]
  }

  private mutating func write(_ number: UInt32, _ entry: UInt32) {
    let chunk = Int(number / Self.width)
    while chunks.count <= chunk { chunks.append([]) }
    if chunks[chunk].isEmpty { chunks[chunk] = Array(repeating: Self.unused, count: Int(Self.width)) }
    chunks[chunk][Int(number % Self.width)] = entry
  }
}
