import Varlink

/// JSON for printing: one line per document, without characters that affect a terminal.
enum JSONText {
  /// Escapes hidden characters of the broker's JSON.
  ///
  /// Outside strings JSON allows none of them, so a replacement everywhere is valid.
  static func printable(_ json: [UInt8]) -> String {
    if json.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(decoding: json, as: UTF8.self) }
    var text = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\n", "\r", "\t": text += " "
      case _ where ShownText.isHidden(scalar):
        for unit in UTF16.encode(scalar)?.map({ $0 }) ?? [] {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  static func printable(_ value: some VarlinkEncodable) -> String { printable(value.jsonBytes) }
}
