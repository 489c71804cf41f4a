/// The one text form of 128-bit identifiers: 32 lower-case hexadecimal digits. Upper case is refused, so that an
/// identifier has exactly one spelling.
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

  static func parse128(_ digits: some Collection<UInt8>) -> (high: UInt64, low: UInt64)? {
    guard digits.count == 32 else { return nil }
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    for (position, digit) in digits.enumerated() {
      let value: UInt64
      switch digit {
      case 0x30...0x39: value = UInt64(digit - 0x30)
      case 0x61...0x66: value = UInt64(digit - 0x61 + 10)
      default: return nil
      }
      if position < 16 { halves.high = halves.high << 4 | value } else { halves.low = halves.low << 4 | value }
    }
    return halves
  }

  private static func character(_ value: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: value < 10 ? 0x30 + value : 0x61 + value - 10)
  }
}
