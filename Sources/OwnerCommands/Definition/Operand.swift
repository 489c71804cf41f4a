/// A positional argument of a command.
struct Operand: Sendable {
  enum Count: Sendable {
    case one, optional, any
  }

  /// The name in the help, in capitals.
  let name: String
  let summary: String
  let count: Count
  let values: ValueKind

  init(_ name: String, _ summary: String, count: Count = .one, values: ValueKind = .anything) {
    (self.name, self.summary, self.count, self.values) = (name, summary, count, values)
  }

  /// The operand in a usage line.
  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .any: "[\(name)...]"
    }
  }
}

extension Operand {
  static let library = Operand("LIBRARY", "the library's name", values: .listed([.libraries]))
  static let app = Operand(
    "APP", "the app as listed by app list, or its identifier if only one app has it", values: .listed([.apps]))
  static let level = Operand("LEVEL", "see-and-change or add-only", values: .owners(AccessWords.levels))
  static let prompt = Operand(
    "REQUEST", "the request, as request list names it; left out where only one waits", count: .optional,
    values: .listed([.requests]))
  static let accessor = Operand("ACCESSOR", "the token as listed by token list", values: .listed([.tokens]))
  static let tokenFile = Operand("FILE", "the file that holds the token", values: .file)
  static let manifest = Operand("MANIFEST", "the app's manifest, JSON or an XML property list", values: .file)
}
