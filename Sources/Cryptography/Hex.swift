/// Lower-case hexadecimal text. Decoding accepts only lower case.
public enum Hex {
  /// Encodes bytes.
  public static func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for index in bytes.indices {
      text.append(digit(bytes[index] >> 4))
      text.append(digit(bytes[index] & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Encodes bytes.
  public static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

  /// Decodes text.
  ///
  /// - Throws: `invalidEncoding` for upper case, other digits or an odd length.
  public static func decode(_ text: String) throws(CryptographyError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for digit in text.utf8 {
      guard let value = value(of: digit) else { throw .invalidEncoding("hexadecimal text") }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    guard high == nil else { throw .invalidEncoding("hexadecimal text") }
    return bytes
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
