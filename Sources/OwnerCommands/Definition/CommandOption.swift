/// An option of a command.
struct CommandOption: Sendable {
  enum Count: Sendable {
    case flag
    /// One value, given once.
    case one
    /// One value; the option may be given again.
    case repeated
    /// All words up to the next option; the option may be given again.
    case several
  }

  /// The name without dashes.
  let name: String
  let count: Count
  /// The value's name in the help; empty for a flag.
  let placeholder: String
  let values: ValueKind
  let summary: String

  init(_ name: String, _ summary: String) {
    (self.name, self.summary, count, placeholder, values) = (name, summary, .flag, "", .anything)
  }

  init(_ name: String, _ placeholder: String, _ summary: String, count: Count = .one, values: ValueKind = .anything) {
    (self.name, self.placeholder, self.summary, self.count, self.values) = (name, placeholder, summary, count, values)
  }

  /// The option with its dashes.
  var typed: String { "--" + name }

  /// The option with its placeholder, for the help.
  var usage: String {
    switch count {
    case .flag: typed
    case .one, .repeated: "\(typed) \(placeholder)"
    case .several: "\(typed) \(placeholder)..."
    }
  }
}
