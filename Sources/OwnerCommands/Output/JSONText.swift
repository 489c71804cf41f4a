import Varlink

/// JSON as it is printed: one document on one line, in which nothing can act on a terminal.
enum JSONText {
  /// What the broker sent, every character that cannot be seen written as an escape.
  ///
  /// Outside of strings JSON knows no such characters, so that replacing them wherever they stand is right.
  static func printable(_ json: [UInt8]) -> String {
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

  /// A value as it is printed.
  static func printable(_ value: some VarlinkEncodable) -> String { printable(value.jsonBytes) }
}
