import Varlink

extension VarlinkError {
  /// The error with its position in a text: `line 3, column 7: an object names a key twice`.
  func explained(in text: [UInt8]) -> String {
    guard let offset, offset <= text.count else { return inWords }
    let before = text[..<offset]
    let line = before.count { $0 == 0x0a } + 1
    let start = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    // Editors count characters, not bytes.
    return "line \(line), column \(String(decoding: text[start..<offset], as: UTF8.self).count + 1): \(inWords)"
  }

  /// The error without a position, for a value that was taken from its text.
  var inWords: String { field.isEmpty ? message : "\(field): \(message)" }
}
