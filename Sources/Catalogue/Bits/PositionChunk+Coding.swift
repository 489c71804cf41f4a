extension PositionChunk {
  /// Nil for an empty chunk.
  func encoded() -> [UInt8]? {
    switch self {
    case .absent: return nil
    case .full: return [3]
    case .array(let values): return [1] + values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    case .bits(let bits, _):
      var bytes: [UInt8] = [2]
      bytes.reserveCapacity(1 + 8 * BitWords.count)
      for index in 0..<BitWords.count {
        for shift in stride(from: 0, to: 64, by: 8) {
          bytes.append(UInt8(truncatingIfNeeded: bits.words[index] >> UInt64(shift)))
        }
      }
      return bytes
    }
  }

  /// - Throws: `damagedSelection` for bytes that `encoded` does not write.
  init(decoding bytes: [UInt8]) throws(CatalogueError) {
    switch bytes.first {
    case 1?:
      guard bytes.count % 2 == 1, (1...Self.arrayLimit).contains(bytes.count / 2) else {
        throw .damagedSelection("a list has a wrong length")
      }
      var values: [UInt16] = []
      values.reserveCapacity(bytes.count / 2)
      for index in stride(from: 1, to: bytes.count, by: 2) {
        let value = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
        if let last = values.last, last >= value { throw .damagedSelection("a list is not ascending") }
        values.append(value)
      }
      self = .array(values)
    case 2?:
      guard bytes.count == 1 + 8 * BitWords.count else { throw .damagedSelection("a bitmap has a wrong length") }
      let words = BitWords()
      for index in 0..<(8 * BitWords.count) {
        words.words[index >> 3] |= UInt64(bytes[index + 1]) << UInt64(8 * (index & 7))
      }
      self.init(owning: words)
      guard case .bits = self else { throw .damagedSelection("a bitmap should have been kept in another form") }
    case 3?:
      guard bytes.count == 1 else { throw .damagedSelection("a full chunk carries more bytes") }
      self = .full
    default:
      throw .damagedSelection("a chunk is of no known form")
    }
  }
}
