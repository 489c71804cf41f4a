/// A bounds-checked reader of a binary token's fields.
struct BinaryReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  /// Reads the next byte; nil at the end.
  mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    offset += 1
    return bytes[offset - 1]
  }

  /// Takes `byte` if it is next.
  mutating func take(_ byte: UInt8) -> Bool {
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  /// Reads the content of the next field if it has this type; otherwise returns nil and reads
  /// nothing.
  ///
  /// - Throws: `malformed` if its length exceeds the token, or is not in the shortest encoding.
  mutating func field(_ type: UInt8) throws(MacaroonError) -> [UInt8]? {
    guard take(type) else { return nil }
    // Two bytes of seven bits each can encode any length within a token.
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
