import Varlink

extension VarlinkError {
  /// What is wrong in a text that a person wrote, and where: `line 3, column 7: an object names a key twice`.
  func explained(in text: [UInt8]) -> String {
    guard let offset, offset <= text.count else { return inWords }
    let before = text[..<offset]
    let line = before.count { $0 == 0x0a } + 1
    let start = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    // Characters and not bytes are what an editor counts.
    return "line \(line), column \(String(decoding: text[start..<offset], as: UTF8.self).count + 1): \(inWords)"
  }

  /// What is wrong with a value that has no place in a text any more.
  var inWords: String { field.isEmpty ? message : "\(field): \(message)" }
}
