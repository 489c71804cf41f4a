/// Lower-case hexadecimal text. Parsing refuses upper case: each value has one spelling.
public enum Hex {
  /// Two digits for each byte.
  public static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { digits in
      for (place, byte) in bytes.enumerated() {
        digits[place * 2] = digit(byte >> 4)
        digits[place * 2 + 1] = digit(byte & 15)
      }
      return bytes.count * 2
    }
  }

  /// Two digits for each byte.
  public static func text(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { text($0) } }

  /// A number with its leading zeros: 16 digits for a `UInt64`.
  public static func text(_ number: some FixedWidthInteger) -> String {
    withUnsafeBytes(of: number.bigEndian) { text($0) }
  }

  /// Parses ``text(_:)``; nil for any other text.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.compactMap(value)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Parses a number with all its leading zeros; nil for any other text.
  public static func number<Number: FixedWidthInteger>(_ text: some StringProtocol) -> Number? {
    guard text.utf8.count == Number.bitWidth / 4 else { return nil }
    var number: Number = 0
    for digit in text.utf8 {
      guard let value = value(digit) else { return nil }
      number = number << 4 | Number(value)
    }
    return number
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
