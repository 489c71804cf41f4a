/// Up to 2,048 integers in as few bits as possible. Immutable: a change makes a new block, so that
/// snapshots share unchanged ones.
///
/// It uses the cheapest of three encodings. Zeros can cost one bit (photos have no duration). Few
/// distinct values can be stored once (image sizes). Otherwise it stores the distance from the
/// smallest value, in whole milliseconds or seconds if possible (dates).
final class PackedBlock: Sendable {
  static let rows = 2_048
  private static let paletteLimit = 16

  let count: Int
  private let base: Int64
  private let unit: UInt64
  private let width: Int
  /// One more than the values need, so that a read of two words is in bounds; empty if all values
  /// are equal.
  private let words: FixedArray<UInt64>
  /// As many as the width can address, or none.
  private let palette: FixedArray<Int64>
  /// Bitmap of the rows that are not zero; empty if zeros are stored like other values.
  private let present: FixedArray<UInt64>
  /// Number of nonzero rows before each word of `present`.
  private let ranks: FixedArray<UInt16>

  init(_ values: [Int64]) {
    count = values.count
    let nonzero = values.filter { $0 != 0 }
    let (dense, sparse) = (Plan(values), Plan(nonzero))
    let keepsZeros = dense.width * values.count <= sparse.width * nonzero.count + values.count
    let plan = keepsZeros ? dense : sparse
    base = plan.base
    unit = plan.unit
    width = plan.width
    // Padded, so that no bit pattern is out of bounds.
    let spare = plan.palette.isEmpty ? 0 : (1 << plan.width) - plan.palette.count
    palette = FixedArray(plan.palette + Array(repeating: plan.palette.last ?? 0, count: spare))
    words = FixedArray(plan.pack(keepsZeros ? values : nonzero))
    let present = keepsZeros ? [] : Self.bitmap(values)
    var rank: UInt16 = 0
    ranks = FixedArray(
      present.map { word in
        defer { rank += UInt16(word.nonzeroBitCount) }
        return rank
      })
    self.present = FixedArray(present)
  }

  /// A copy with one changed value that needs no other width.
  private init(_ block: PackedBlock, words: [UInt64]) {
    (count, base, unit, width) = (block.count, block.base, block.unit, block.width)
    (palette, present, ranks, self.words) = (block.palette, block.present, block.ranks, FixedArray(words))
  }

  @inline(__always)
  subscript(row: Int) -> Int64 {
    var index = row
    if !present.isEmpty {
      let word = present[row >> 6]
      let bit: UInt64 = 1 << UInt64(row & 63)
      guard word & bit != 0 else { return 0 }
      index = Int(ranks[row >> 6]) + (word & (bit - 1)).nonzeroBitCount
    }
    guard width > 0 else { return palette.isEmpty ? base : palette[0] }
    let start = index * width
    let shift = UInt64(start & 63)
    let raw = (words[start >> 6] >> shift | words[start >> 6 + 1] << (64 - shift)) & Self.mask(width)
    return palette.isEmpty ? base &+ Int64(bitPattern: raw &* unit) : palette[Int(raw)]
  }

  /// Reads rows that all lie in this block, with the block's fields read once.
  func read(_ rows: UnsafeBufferPointer<UInt32>, into values: UnsafeMutableBufferPointer<Int64>) {
    guard present.isEmpty, palette.isEmpty else {
      for index in rows.indices { values[index] = self[Int(rows[index]) % Self.rows] }
      return
    }
    let base = base
    guard width > 0 else {
      for index in rows.indices { values[index] = base }
      return
    }
    let (unit, width, mask) = (unit, width, Self.mask(width))
    let words = words.values
    for index in rows.indices {
      let start = Int(rows[index]) % Self.rows * width
      let shift = UInt64(start & 63)
      let raw = (words[start >> 6] >> shift | words[start >> 6 + 1] << (64 - shift)) & mask
      values[index] = base &+ Int64(bitPattern: raw &* unit)
    }
  }

  func encode(to writer: inout SlabWriter) {
    writer.put(count, width)
    writer.put(words.count, palette.count)
    writer.put(UInt64(present.count))
    writer.put(UInt64(bitPattern: base))
    writer.put(unit)
    writer.put(words.values)
    writer.put(palette.values)
    writer.put(present.values)
    writer.put(ranks.values)
  }

  init(decoding reader: inout SlabReader) throws(CatalogueError) {
    let (rows, wordCount, presentCount) = (try reader.counts(), try reader.counts(), try reader.word())
    (count, width) = (rows.low, rows.high)
    base = Int64(bitPattern: try reader.word())
    unit = try reader.word()
    try reader.expect(
      count <= Self.rows && width <= 64 && unit > 0 && (presentCount == 0 || presentCount == (count + 63) / 64))
    words = try reader.array(wordCount.low, of: UInt64.self)
    palette = try reader.array(wordCount.high, of: Int64.self)
    present = try reader.array(Int(presentCount), of: UInt64.self)
    ranks = try reader.array(Int(presentCount), of: UInt16.self)
    var rank = 0
    for (index, word) in present.values.enumerated() {
      try reader.expect(Int(ranks[index]) == rank)
      rank += word.nonzeroBitCount
    }
    let kept = present.isEmpty ? count : rank
    try reader.expect(width == 0 || words.count > (kept * width + 63) / 64)
    try reader.expect(palette.isEmpty || width <= 4 && palette.count == 1 << width)
  }

  func values() -> [Int64] { (0..<count).map { self[$0] } }

  func setting(_ row: Int, to value: Int64) -> PackedBlock {
    if self[row] == value { return self }
    if present.isEmpty, width > 0, let raw = raw(value) {
      var words = Array(words.values)
      Self.write(raw, at: row, width: width, into: &words)
      return PackedBlock(self, words: words)
    }
    var all = values()
    all[row] = value
    return PackedBlock(all)
  }

  /// The value as this block stores it; nil if it cannot.
  private func raw(_ value: Int64) -> UInt64? {
    if !palette.isEmpty { return palette.values.firstIndex(of: value).map { UInt64($0) } }
    guard value >= base else { return nil }
    let (raw, rest) = UInt64(bitPattern: value &- base).quotientAndRemainder(dividingBy: unit)
    return rest == 0 && raw <= Self.mask(width) ? raw : nil
  }

  private static func bitmap(_ values: [Int64]) -> [UInt64] {
    var bits = [UInt64](repeating: 0, count: (values.count + 63) / 64)
    for (row, value) in values.enumerated() where value != 0 { bits[row >> 6] |= 1 << UInt64(row & 63) }
    return bits
  }

  private static func mask(_ width: Int) -> UInt64 { width >= 64 ? .max : (1 << UInt64(width)) - 1 }

  private static func write(_ raw: UInt64, at index: Int, width: Int, into words: inout [UInt64]) {
    let start = index * width
    let shift = UInt64(start & 63)
    words[start >> 6] = words[start >> 6] & ~(mask(width) << shift) | raw << shift
    if Int(shift) + width > 64 {
      words[start >> 6 + 1] = words[start >> 6 + 1] & ~(mask(width) >> (64 - shift)) | raw >> (64 - shift)
    }
  }

  private struct Plan {
    var base: Int64 = 0
    var unit: UInt64 = 1
    var width = 0
    var palette: [Int64] = []

    init(_ values: [Int64]) {
      guard let first = values.first else { return }
      var (least, most) = (first, first)
      for value in values {
        least = min(least, value)
        most = max(most, value)
      }
      base = least
      let span = UInt64(bitPattern: most &- least)
      if span >= 1_000 {
        // Repeated, so that the compiler divides by constants.
        if values.allSatisfy({ UInt64(bitPattern: $0 &- least) % 1_000_000 == 0 }) {
          unit = 1_000_000
        } else if values.allSatisfy({ UInt64(bitPattern: $0 &- least) % 1_000 == 0 }) {
          unit = 1_000
        }
      }
      width = 64 - (span / unit).leadingZeroBitCount
      if width > 4, let palette = Self.palette(values) {
        self.palette = palette
        width = 64 - UInt64(palette.count - 1).leadingZeroBitCount
      }
    }

    private static func palette(_ values: [Int64]) -> [Int64]? {
      var palette: [Int64] = []
      for value in values where !palette.contains(value) {
        guard palette.count < PackedBlock.paletteLimit else { return nil }
        palette.append(value)
      }
      return palette
    }

    private func raw(_ value: Int64) -> UInt64 {
      if !palette.isEmpty { return UInt64(palette.firstIndex(of: value) ?? 0) }
      let distance = UInt64(bitPattern: value &- base)
      return unit == 1 ? distance : distance / unit
    }

    func pack(_ values: [Int64]) -> [UInt64] {
      guard width > 0 else { return [] }
      // One word more than needed, so that a read of two words is in bounds.
      var words: [UInt64] = []
      words.reserveCapacity((values.count * width + 63) / 64 + 1)
      var (word, used): (UInt64, Int) = (0, 0)
      for value in values {
        let raw = raw(value)
        word |= raw << UInt64(used)
        used += width
        guard used >= 64 else { continue }
        used -= 64
        words.append(word)
        word = raw >> UInt64(width - used)
      }
      words.append(word)
      if used > 0 { words.append(0) }
      return words
    }
  }
}
