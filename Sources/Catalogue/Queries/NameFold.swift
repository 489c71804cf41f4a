/// Folding for the comparison of file names: case is ignored, Latin letters lose their accents, and
/// combining marks are dropped. Other scripts keep their marks. It does not depend on a locale, so
/// an order is the same everywhere.
package enum NameFold {
  /// Most bytes of a folded name.
  static let limitBytes = 3 * NameBlock.limitBytes

  static func fold(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map(lower) }
    var result: [UInt8] = []
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      for low in scalar.properties.lowercaseMapping.unicodeScalars where !(0x300...0x36F).contains(low.value) {
        result += letters[low]?.utf8.map { $0 } ?? Array(String(low).utf8)
      }
    }
    return result
  }

  package static func fold(_ text: String) -> [UInt8] { Array(text.utf8).withUnsafeBufferPointer(fold) }

  /// Whether the folded name contains the folded text. Plain ASCII names are compared without being
  /// copied.
  static func contains(_ name: UnsafeBufferPointer<UInt8>, _ folded: [UInt8]) -> Bool {
    if name.allSatisfy({ $0 < 0x80 }) { return search(name, folded) }
    return fold(name).withUnsafeBufferPointer { search($0, folded) }
  }

  package static func contains(_ text: String, _ folded: [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { contains($0, folded) }
  }

  private static func search(_ name: UnsafeBufferPointer<UInt8>, _ folded: [UInt8]) -> Bool {
    guard name.count >= folded.count else { return false }
    return (0...(name.count - folded.count)).contains { start in
      folded.indices.allSatisfy { lower(name[start + $0]) == folded[$0] }
    }
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private static let letters: [Unicode.Scalar: String] = {
    let table = [
      "a": "àáâãäåāăąǎ", "ae": "æ", "c": "çćĉċč", "d": "ðďđ", "e": "èéêëēĕėęě", "g": "ĝğġģǧ", "h": "ĥħ",
      "i": "ìíîïĩīĭįıǐ", "ij": "ĳ", "j": "ĵ", "k": "ķĸ", "l": "ĺļľŀł", "n": "ñńņňŉŋ", "o": "òóôõöøōŏőǒ", "oe": "œ",
      "r": "ŕŗř", "s": "śŝşšſș", "ss": "ß", "t": "ţťŧț", "th": "þ", "u": "ùúûüũūŭůűųǔ", "w": "ŵ", "y": "ýÿŷ",
      "z": "źżž",
    ]
    var letters: [Unicode.Scalar: String] = [:]
    for (plain, accented) in table {
      for scalar in accented.unicodeScalars { letters[scalar] = plain }
    }
    return letters
  }()
}
