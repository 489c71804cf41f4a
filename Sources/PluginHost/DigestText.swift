/// Digests on the wire: two lower-case hexadecimal digits for each byte.
enum DigestText {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      for (place, byte) in bytes.enumerated() {
        buffer[place * 2] = digits[Int(byte >> 4)]
        buffer[place * 2 + 1] = digits[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }

  static func bytes(_ text: String) -> [UInt8]? {
    var values: [UInt8] = []
    for digit in text.utf8 {
      switch digit {
      case 0x30...0x39: values.append(digit - 0x30)
      case 0x61...0x66: values.append(digit - 0x61 + 10)
      default: return nil
      }
    }
    guard values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
