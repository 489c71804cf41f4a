/// Reads the fields of a token in binary, never beyond its end.
struct BinaryReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  /// The next byte; nil at the end.
  mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    offset += 1
    return bytes[offset - 1]
  }

  /// Takes `byte` if it comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  /// The content of the next field if it has this type; nil, having taken nothing, if not.
  ///
  /// - Throws: `malformed` when its length reaches beyond the end, or is not written in the fewest bytes.
  mutating func field(_ type: UInt8) throws(MacaroonError) -> [UInt8]? {
    guard take(type) else { return nil }
    // Two bytes of seven bits each hold any length that fits a token.
    guard let first = byte() else { throw .malformed }
    var length = Int(first & 0x7F)
    if first & 0x80 != 0 {
      guard let second = byte(), second > 0, second & 0x80 == 0 else { throw .malformed }
      length |= Int(second) << 7
    }
    guard bytes.count - offset >= length else { throw .malformed }
    defer { offset += length }
    return [UInt8](bytes[offset..<(offset + length)])
  }
}
