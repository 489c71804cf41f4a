import PhotoModel

/// An index from identifier to slot for the main part, built once and shared by copies.
///
/// Slots are grouped by a hash of their identifier, about four to a group, and a lookup reads its
/// whole group. So known and unknown identifiers take the same time, unlike in an open-addressing
/// table.
final class IdentifierIndex: Sendable {
  private let starts: FixedArray<UInt32>
  private let slots: FixedArray<UInt32>
  private let shift: UInt64

  init(_ identifiers: ChunkedArray<AssetIdentifier>) {
    let count = identifiers.count
    let bits = max(1, Int.bitWidth - (count / 4).leadingZeroBitCount)
    let shift = UInt64(64 - bits)
    var starts = [UInt32](repeating: 0, count: (1 << bits) + 1)
    for slot in 0..<UInt32(count) { starts[Int(Self.hash(identifiers[slot]) >> shift) + 1] += 1 }
    for group in 1..<starts.count { starts[group] += starts[group - 1] }
    var fill = starts
    var slots = [UInt32](repeating: 0, count: count)
    for slot in 0..<UInt32(count) {
      let group = Int(Self.hash(identifiers[slot]) >> shift)
      slots[Int(fill[group])] = slot
      fill[group] += 1
    }
    self.shift = shift
    self.starts = FixedArray(starts)
    self.slots = FixedArray(slots)
  }

  func slot(of identifier: AssetIdentifier, in identifiers: ChunkedArray<AssetIdentifier>) -> UInt32? {
    let group = Int(Self.hash(identifier) >> shift)
    var found: UInt32?
    for index in Int(starts[group])..<Int(starts[group + 1]) {
      let slot = slots[index]
      if identifiers[slot] == identifier { found = slot }
    }
    return found
  }

  /// Whether two slots have the same identifier.
  func hasDuplicate(_ identifiers: ChunkedArray<AssetIdentifier>) -> Bool {
    for group in 0..<(starts.count - 1) {
      let range = Int(starts[group])..<Int(starts[group + 1])
      for a in range {
        for b in range where b > a && identifiers[slots[a]] == identifiers[slots[b]] { return true }
      }
    }
    return false
  }

  func encode(to writer: inout SlabWriter) {
    writer.put(starts.count, slots.count)
    writer.put(shift)
    writer.put(starts.values)
    writer.put(slots.values)
  }

  init(decoding reader: inout SlabReader, slots count: UInt32) throws(CatalogueError) {
    let counts = try reader.counts()
    shift = try reader.word()
    try reader.expect((32..<64).contains(shift) && counts.low == 1 << (64 - shift) + 1 && counts.high == count)
    starts = try reader.array(counts.low, of: UInt32.self)
    slots = try reader.array(counts.high, of: UInt32.self)
    var (last, isRising): (UInt32, Bool) = (0, true)
    for start in starts.values {
      isRising = isRising && last <= start
      last = start
    }
    try reader.expect(isRising && last == count && slots.values.allSatisfy { $0 < count })
  }

  private static func hash(_ identifier: AssetIdentifier) -> UInt64 {
    var word = identifier.high &* 0x9E37_79B9_7F4A_7C15 ^ identifier.low
    word = (word ^ word >> 32) &* 0xD6E8_FEB8_6659_FD93
    return (word ^ word >> 32) &* 0xD6E8_FEB8_6659_FD93
  }
}
