/// base64 with padding, of which decoding accepts only the canonical text of a value. Source:
/// https://www.rfc-editor.org/rfc/rfc4648#section-4
package enum Base64 {
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    var group: UInt32 = 0
    var index = 0
    // An iterator and an array for each group took nine tenths of the time in debug builds.
    while index < digits.count - padding {
      guard let value = value(of: digits[index]) else { return nil }
      group = group << 6 | UInt32(value)
      if index % 4 == 3 {
        bytes.append(UInt8(group >> 16 & 255))
        bytes.append(UInt8(group >> 8 & 255))
        bytes.append(UInt8(group & 255))
        group = 0
      }
      index += 1
    }
    switch padding {
    case 1:
      guard group & 3 == 0 else { return nil }
      bytes.append(contentsOf: [UInt8(group >> 10 & 255), UInt8(group >> 2 & 255)])
    case 2:
      guard group & 15 == 0 else { return nil }
      bytes.append(UInt8(group >> 4 & 255))
    default: break
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x41...0x5a: digit - 0x41
    case 0x61...0x7a: digit - 0x61 + 26
    case 0x30...0x39: digit - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
