/// Up to 256 file names. Immutable, like `PackedBlock`.
///
/// The common prefix ("IMG_") is stored once, and so is each suffix from the last point on
/// (".JPG"), up to 255 of them. Camera names consist mostly of these.
final class NameBlock: Sendable {
  static let rows = 256
  /// Limit of one name, so that the suffixes and the rest of a block stay below 65,536 bytes each.
  static let limitBytes = 255

  /// The common prefix, then the suffixes, then the rest of each name.
  private let bytes: FixedArray<UInt8>
  private let prefixEnd: Int
  /// End of each suffix; the first one is empty.
  private let endingEnds: FixedArray<UInt16>
  private let endingOf: FixedArray<UInt8>
  private let stemStart: Int
  /// Counted from `stemStart`.
  private let stemEnds: FixedArray<UInt16>

  var count: Int { stemEnds.count }

  init(_ names: [[UInt8]]) {
    var shared = names.first.map { $0[...] } ?? []
    for name in names { shared = shared.prefix(zip(shared, name).prefix { $0 == $1 }.count) }
    var endings: [[UInt8]] = [[]]
    var (endingOf, stems): ([UInt8], [ArraySlice<UInt8>]) = ([], [])
    endingOf.reserveCapacity(names.count)
    stems.reserveCapacity(names.count)
    for name in names {
      var stem = name[shared.count...]
      var ending = 0
      if let point = stem.lastIndex(of: UInt8(ascii: ".")) {
        if let known = endings.firstIndex(where: { $0.elementsEqual(stem[point...]) }) {
          ending = known
        } else if endings.count <= 255 {
          ending = endings.count
          endings.append(Array(stem[point...]))
        }
        if ending != 0 { stem = stem[..<point] }
      }
      endingOf.append(UInt8(ending))
      stems.append(stem)
    }
    var bytes = Array(shared)
    prefixEnd = bytes.count
    endingEnds = FixedArray(
      endings.map { ending in
        bytes += ending
        return UInt16(bytes.count)
      })
    let stemStart = bytes.count
    self.stemStart = stemStart
    stemEnds = FixedArray(
      stems.map { stem in
        bytes += stem
        return UInt16(bytes.count - stemStart)
      })
    self.endingOf = FixedArray(endingOf)
    self.bytes = FixedArray(bytes)
  }

  func withBytes<R>(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.limitBytes) { buffer in
      let count = copy(row, to: buffer)
      return body(UnsafeBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Copies a name to a buffer with room for the longest one.
  /// - Returns: Its length.
  func copy(_ row: Int, to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let ending = Int(endingOf[row])
    let endingRange = (ending == 0 ? prefixEnd : Int(endingEnds[ending - 1]))..<Int(endingEnds[ending])
    let stem = stemStart + (row == 0 ? 0 : Int(stemEnds[row - 1]))..<stemStart + Int(stemEnds[row])
    let all = bytes.values
    var end = Self.copy(all[..<prefixEnd], to: buffer, at: 0)
    end = Self.copy(all[stem], to: buffer, at: end)
    return Self.copy(all[endingRange], to: buffer, at: end)
  }

  @inline(__always)
  private static func copy(
    _ part: Slice<UnsafeBufferPointer<UInt8>>, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int
  ) -> Int {
    UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[start...]))
      .copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: part)))
    return start + part.count
  }

  func setting(_ row: Int, to name: [UInt8]) -> NameBlock {
    NameBlock(stemEnds.values.indices.map { other in other == row ? name : withBytes(other) { Array($0) } })
  }

  func encode(to writer: inout SlabWriter) {
    writer.put(bytes.count, prefixEnd)
    writer.put(endingEnds.count, stemEnds.count)
    writer.put(UInt64(stemStart))
    writer.put(bytes.values)
    writer.put(endingEnds.values)
    writer.put(endingOf.values)
    writer.put(stemEnds.values)
  }

  init(decoding reader: inout SlabReader) throws(CatalogueError) {
    let (lengths, counts, start) = (try reader.counts(), try reader.counts(), try reader.word())
    try reader.expect(start <= 1 << 17 && (1...256).contains(counts.low) && (1...Self.rows).contains(counts.high))
    (prefixEnd, stemStart) = (lengths.high, Int(start))
    bytes = try reader.array(lengths.low, of: UInt8.self)
    endingEnds = try reader.array(counts.low, of: UInt16.self)
    endingOf = try reader.array(counts.high, of: UInt8.self)
    stemEnds = try reader.array(counts.high, of: UInt16.self)
    // The longest name that these parts can form fits the limit, and no part exceeds the bytes.
    let ending = Self.longest(endingEnds.values, from: UInt16(truncatingIfNeeded: prefixEnd))
    let stem = Self.longest(stemEnds.values, from: 0)
    try reader.expect(prefixEnd <= Self.limitBytes && prefixEnd + ending + stem <= Self.limitBytes)
    try reader.expect(
      Int(endingEnds[counts.low - 1]) == stemStart && stemStart + Int(stemEnds[counts.high - 1]) == bytes.count)
    try reader.expect(Int(endingOf.values.max() ?? 0) < counts.low)
  }

  /// Length of the longest part, from the parts' ends. A part with an end before its start gives a
  /// large number.
  private static func longest(_ ends: UnsafeBufferPointer<UInt16>, from start: UInt16) -> Int {
    var (longest, last): (UInt16, UInt16) = (0, start)
    for end in ends {
      longest = max(longest, end &- last)
      last = end
    }
    return Int(longest)
  }
}
