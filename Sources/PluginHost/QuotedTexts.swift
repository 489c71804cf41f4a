/// JSON strings and numbers anywhere in a text, which need not be valid JSON.
enum QuotedTexts {
  struct Member {
    /// The key before its colon; nil for none.
    var name: String?
    /// The escaped form.
    var written: String
    /// The unescaped form.
    var text: String
  }

  /// Returns all strings and long numbers that are not keys.
  static func members(of text: String) -> [Member] {
    let bytes = Array(text.utf8)
    guard bytes.contains(quote) else { return [] }
    var found: [Member] = []
    var name: String?
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case quote:
        let start = place + 1
        guard let end = self.end(of: start, in: bytes) else { return found }
        let written = bytes[start..<end]
        place = end + 1
        if bytes[place...].first(where: { !isSpace($0) }) == UInt8(ascii: ":") {
          name = unescaped(written)
        } else {
          found.append(Member(name: name, written: String(decoding: written, as: UTF8.self), text: unescaped(written)))
          name = nil
        }
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digits = bytes[place...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        place = digits.endIndex
        // Shorter numbers are years and counts.
        if name != nil, digits.count >= numberDigits {
          let number = String(decoding: digits, as: UTF8.self)
          found.append(Member(name: name, written: number, text: number))
        }
      case UInt8(ascii: ","), UInt8(ascii: "}"):
        name = nil
        place += 1
      default: place += 1
      }
    }
    return found
  }

  private static let quote = UInt8(ascii: "\"")
  private static let numberDigits = 6

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

  private static func end(of start: Int, in bytes: [UInt8]) -> Int? {
    var place = start
    while place < bytes.count, bytes[place] != quote { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
    return place < bytes.count ? place : nil
  }

  private static func unescaped(_ written: ArraySlice<UInt8>) -> String {
    guard written.contains(UInt8(ascii: "\\")) else { return String(decoding: written, as: UTF8.self) }
    var units: [UInt16] = []
    var rest = Array(String(decoding: written, as: UTF8.self).utf16)[...]
    while let unit = rest.popFirst() {
      guard unit == 0x5c, let escaped = rest.popFirst() else {
        units.append(unit)
        continue
      }
      switch UnicodeScalar(escaped) {
      case "n": units.append(0x0a)
      case "t": units.append(0x09)
      case "r": units.append(0x0d)
      case "u":
        let digits = String(decoding: rest.prefix(4), as: UTF16.self)
        rest = rest.dropFirst(4)
        units.append(UInt16(digits, radix: 16) ?? 0xfffd)
      default: units.append(escaped)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }
}
