/// The escapes of JSON strings.
@usableFromInline
enum JSONEscapes {
  /// The length of the escaped text in bytes.
  static func length(of text: UnsafeBufferPointer<UInt8>) -> Int {
    let plain = plainPrefix(of: text)
    return text[plain...].reduce(plain) { $0 + (needsEscape($1) ? (short($1) == nil ? 6 : 2) : 1) }
  }

  /// Writes text with the fewest escapes. `target` needs room for six times its bytes.
  /// - Returns: the end of the written text.
  @usableFromInline
  static func write(
    _ text: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let plain = plainPrefix(of: text)
    if plain > 0, let start = text.baseAddress {
      UnsafeMutableRawPointer(target).copyMemory(from: start, byteCount: plain)
    }
    var next = target + plain
    for byte in text[plain...] {
      guard needsEscape(byte) else {
        next[0] = byte
        next += 1
        continue
      }
      next[0] = UInt8(ascii: "\\")
      if let letter = short(byte) {
        next[1] = letter
        next += 2
      } else {
        next[1] = UInt8(ascii: "u")
        (next[2], next[3]) = (UInt8(ascii: "0"), UInt8(ascii: "0"))
        (next[4], next[5]) = (JSONWriter.hexDigit(byte >> 4), JSONWriter.hexDigit(byte & 15))
        next += 6
      }
    }
    return next
  }

  /// The number of leading bytes without escapes, found eight at a time.
  private static func plainPrefix(of text: UnsafeBufferPointer<UInt8>) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    var index = 0
    let raw = UnsafeRawBufferPointer(text)
    while text.count - index >= 8 {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let slash = word ^ (ones &* 0x5C)
      let control = (word &- (ones &* 0x20)) & ~word
      let stops = (control | ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash)) & tops
      if stops != 0 { return index + stops.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < text.count, !needsEscape(text[index]) { index += 1 }
    return index
  }

  @inline(__always)
  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// The letter of a two-byte escape.
  private static func short(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
    case 0x08: UInt8(ascii: "b")
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0C: UInt8(ascii: "f")
    case 0x0D: UInt8(ascii: "r")
    default: nil
    }
  }
}
