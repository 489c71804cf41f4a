/// Signs of coordinates in a text that people write.
///
/// Some programs keep coordinates in captions and keywords, such as `geo:lat=47.37` or Mapillary's
/// JSON. A place's name in a caption is the caption's matter.
enum PlaceHints {
  private static let words = ["gps", "geo:", "latitude", "longitude", "lat=", "lon=", "lng", "mapl", "iso6709", "&#"]
  private static let limitBytes = 65_536

  /// Whether a text has a word of places, a degree sign, or a number with three decimals. Longer
  /// texts than 64 KiB are not examined and count as well.
  static func mayHoldPlace(_ text: some Collection<UInt8>) -> Bool {
    guard text.count <= limitBytes else { return true }
    // Without NULs, so that UTF-16 reads as ASCII.
    let bytes = text.filter { $0 != 0 }.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
    if bytes.indices.contains(where: { isDegreeSign(bytes, $0) }) { return true }
    var isFraction = false
    var digits = 0
    for byte in bytes {
      if (0x30...0x39).contains(byte) {
        digits += 1
        if isFraction, digits >= 3 { return true }
      } else {
        isFraction = (byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")) && digits > 0
        digits = 0
      }
    }
    return words.contains { word in contains(bytes, Array(word.utf8)) }
  }

  /// Whether a degree sign of UTF-8, Latin-1 or UTF-16 ends at this index.
  private static func isDegreeSign(_ bytes: [UInt8], _ index: Int) -> Bool {
    guard bytes[index] == 0xb0 else { return false }
    return index == 0 || bytes[index - 1] < 0x80 || bytes[index - 1] == 0xc2
  }

  private static func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
    guard let first = word.first else { return true }
    return bytes.indices.contains { bytes[$0] == first && bytes[$0...].starts(with: word) }
  }
}
