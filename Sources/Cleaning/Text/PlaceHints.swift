/// Signs of coordinates in a text that people write.
///
/// Some programs keep coordinates in captions and keywords, such as `geo:lat=47.37` or Mapillary's
/// JSON. A place's name in a caption is the caption's matter.
package enum PlaceHints {
  private static let words = [
    "gps", "geo:", "latitude", "longitude", "lat=", "lat:", "lon=", "lon:", "lng", "mapl", "maps.", "/maps", "iso6709",
    "mgrs", "&#", "\u{2da}", "\u{2032}", "\u{2033}",
  ].map { Array($0.utf8) }
  /// Words that mean a place beside a number.
  private static let numberWords = ["deg ", "lat ", "lon ", "long ", "utm"].map { Array($0.utf8) }
  private static let limitBytes = 65_536

  /// Whether a text has a word of places, a degree sign, a plus code, a number with three decimals,
  /// two numbers with two decimals, or numbers with a compass point of each axis. Longer texts than
  /// 64 KiB are not examined and count as well.
  package static func mayHoldPlace(_ text: some Collection<UInt8>) -> Bool {
    guard text.count <= limitBytes else { return true }
    // Without NULs, so that UTF-16 reads as ASCII.
    let bytes = text.filter { $0 != 0 }.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
    return hasNumbers(bytes) || hasSign(bytes) || has(words, bytes)
      || bytes.contains(where: isDigit) && has(numberWords, bytes)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) || byte >= 0x80 }

  /// Whether a number has three decimals, or two numbers have two each.
  private static func hasNumbers(_ bytes: [UInt8]) -> Bool {
    var isFraction = false
    var digits = 0
    var numbers = 0
    for byte in bytes {
      if isDigit(byte) {
        digits += 1
        if isFraction, digits == 2 { numbers += 1 }
        if isFraction && digits == 3 || numbers == 2 { return true }
      } else {
        isFraction = (byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")) && digits > 0
        digits = 0
      }
    }
    return false
  }

  /// Whether a text has a degree sign, a plus code, or compass points of both axes beside numbers.
  private static func hasSign(_ bytes: [UInt8]) -> Bool {
    var (hasLatitude, hasLongitude) = (false, false)
    var codeLength = 0
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0xb0, 0xba:
        // The sign or the ordinal that people take for it, in UTF-8, Latin-1 or UTF-16.
        if index == 0 || bytes[index - 1] < 0x80 || bytes[index - 1] == 0xc2 { return true }
      case UInt8(ascii: "+"):
        if codeLength >= 4, bytes.count - index > 2, plusCode[Int(bytes[index + 1])], plusCode[Int(bytes[index + 2])] {
          return true
        }
      case UInt8(ascii: "n"), UInt8(ascii: "s"): hasLatitude = hasLatitude || isCompassPoint(bytes, index)
      case UInt8(ascii: "e"), UInt8(ascii: "w"): hasLongitude = hasLongitude || isCompassPoint(bytes, index)
      default: break
      }
      if hasLatitude, hasLongitude { return true }
      codeLength = plusCode[Int(byte)] ? codeLength + 1 : 0
    }
    return false
  }

  /// The digits of a plus code.
  private static let plusCode = bytes(of: "23456789cfghjmpqrvwx")

  private static func bytes(of text: String) -> [Bool] {
    let known = Set(text.utf8)
    return (0...255).map { known.contains($0) }
  }

  /// Whether a letter stands alone beside a number.
  private static func isCompassPoint(_ bytes: [UInt8], _ index: Int) -> Bool {
    let (before, after) = (bytes[..<index].suffix(2), bytes[(index + 1)...].prefix(2))
    if let last = before.last, isLetter(last) { return false }
    if let first = after.first, isLetter(first) { return false }
    let marks = [UInt8(ascii: "'"), UInt8(ascii: "\"")]
    if let near = after.first(where: { $0 != 0x20 }), isDigit(near) { return true }
    return before.last { $0 != 0x20 }.map { isDigit($0) || marks.contains($0) } ?? false
  }

  private static func has(_ words: [[UInt8]], _ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
      words.contains { $0.first == bytes[index] && bytes[index...].starts(with: $0) }
    }
  }
}
