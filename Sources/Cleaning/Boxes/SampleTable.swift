/// The places of a track's samples: chunks at offsets, each with some samples.
struct SampleTable {
  /// The size of every sample, if they are equal.
  let fixedSize: Int?
  private let sampleCount: Int
  private let sizes: [UInt8]
  private let sizeBits: Int
  private let runs: [UInt8]
  private let chunks: [UInt8]
  private let chunkBytes: Int

  private static let sampleLimit = 16_000_000

  init(sizes: Box, runs: Box, chunks: Box) throws(Uncleanable) {
    let isCompact = sizes.type == "stz2"
    let common = isCompact ? 0 : try sizes.payload.number(4, 4)
    sampleCount = try sizes.payload.number(8, 4)
    fixedSize = common == 0 ? nil : common
    sizeBits = isCompact ? try sizes.payload.number(7, 1) : 32
    guard [4, 8, 16, 32].contains(sizeBits) else { throw .damaged }
    guard fixedSize.map({ $0 <= 8 }) == true || sampleCount <= Self.sampleLimit else { throw .tooComplex }
    self.sizes = fixedSize == nil ? try sizes.payload.bytes(12, (sampleCount * sizeBits + 7) / 8) : []
    self.runs = try runs.payload.bytes(8, 12 * (try runs.payload.number(4, 4)))
    chunkBytes = chunks.type == "co64" ? 8 : 4
    self.chunks = try chunks.payload.bytes(8, chunkBytes * (try chunks.payload.number(4, 4)))
  }

  /// The sizes of consecutive samples.
  struct Sizes: Sequence, IteratorProtocol {
    fileprivate let table: SampleTable
    fileprivate var index: Int
    fileprivate let end: Int
    var count: Int { end - index }

    mutating func next() -> Int? {
      guard index < end else { return nil }
      defer { index += 1 }
      return table.size(index)
    }
  }

  private func size(_ index: Int) -> Int {
    if let fixedSize { return fixedSize }
    guard sizeBits >= 8 else { return Int(sizes[index / 2] >> (index % 2 == 0 ? 4 : 0) & 15) }
    return Self.number(sizes, index * sizeBits / 8, sizeBits / 8)
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    var value = 0
    for index in offset..<(offset + count) { value = value << 8 | Int(bytes[index]) }
    return value
  }

  /// Passes the offset of each chunk and its samples.
  func forEachChunk(_ body: (_ offset: Int, _ samples: Sizes) throws(Uncleanable) -> Void) throws(Uncleanable) {
    let chunkCount = chunks.count / chunkBytes
    var sample = 0
    var run = 0
    var perChunk = 0
    for chunk in 0..<chunkCount {
      // A run holds from its first chunk, counted from 1, to the next run's.
      while run < runs.count / 12, Self.number(runs, 12 * run, 4) <= chunk + 1 {
        perChunk = Self.number(runs, 12 * run + 4, 4)
        run += 1
      }
      let offset = Self.number(chunks, chunk * chunkBytes, chunkBytes)
      guard offset >= 0, offset < 1 << 48 else { throw .damaged }
      let end = min(sample + perChunk, sampleCount)
      try body(offset, Sizes(table: self, index: sample, end: end))
      sample = end
    }
    // Samples without a chunk would be lost.
    guard sample == sampleCount else { throw .damaged }
  }
}
