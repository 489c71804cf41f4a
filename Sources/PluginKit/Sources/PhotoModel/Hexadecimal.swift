/// The text form of 128-bit identifiers. Upper case is refused: each identifier has one spelling.
enum Hexadecimal {
  static func text(_ high: UInt64, _ low: UInt64) -> String {
    String(unsafeUninitializedCapacity: 32) { buffer in
      for digit in 0..<16 {
        let shift = UInt64(60 - 4 * digit)
        buffer[digit] = character(high >> shift & 15)
        buffer[16 + digit] = character(low >> shift & 15)
      }
      return 32
    }
  }

  static func parse128(_ text: String) -> (high: UInt64, low: UInt64)? {
    var text = text
    return text.withUTF8 { digits in
      guard digits.count == 32, let high = parse64(digits[..<16]), let low = parse64(digits[16...]) else { return nil }
      return (high, low)
    }
  }

  private static func parse64(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    var word: UInt64 = 0
    for digit in digits {
      switch digit {
      case 0x30...0x39: word = word << 4 | UInt64(digit - 0x30)
      case 0x61...0x66: word = word << 4 | UInt64(digit - 0x61 + 10)
      default: return nil
      }
    }
    return word
  }

  private static func character(_ value: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: value < 10 ? 0x30 + value : 0x61 + value - 10)
  }
}
