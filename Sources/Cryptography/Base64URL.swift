/// base64url without padding (RFC 4648, section 5). Decoding accepts only the canonical text of a
/// value.
public enum Base64URL {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Encodes bytes.
  public static func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var pending: UInt32 = 0
    var bits = 0
    for index in bytes.indices {
      pending = pending << 8 | UInt32(bytes[index])
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(digits[Int(pending >> UInt32(bits)) & 63])
      }
    }
    if bits > 0 { text.append(digits[Int(pending << UInt32(6 - bits)) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Encodes bytes.
  public static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

  /// Decodes text.
  ///
  /// - Throws: `invalidEncoding` for padding, white space, other digits, an impossible length, or
  ///   leftover bits.
  public static func decode(_ text: String) throws(CryptographyError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var pending: UInt32 = 0
    var bits = 0
    for digit in text.utf8 {
      guard let value = value(of: digit) else { throw .invalidEncoding("base64url") }
      pending = (pending << 6 | value) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
      }
    }
    guard bits < 6, pending & ((1 << UInt32(bits)) - 1) == 0 else { throw .invalidEncoding("base64url") }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
