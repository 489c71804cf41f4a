/// What a command takes by name.
struct CommandOption: Sendable {
  /// How many values it takes.
  enum Count: Sendable {
    /// None: it is there or not.
    case flag
    /// One, given once.
    case one
    /// One, and it may be given again.
    case repeated
    /// All words up to the next option, and it may be given again.
    case several
  }

  /// Without its dashes.
  let name: String
  let count: Count
  /// What the value is called in the help; empty for a flag.
  let placeholder: String
  let values: ValueKind
  let summary: String

  /// A flag.
  init(_ name: String, _ summary: String) {
    (self.name, self.summary, count, placeholder, values) = (name, summary, .flag, "", .anything)
  }

  /// An option with a value.
  init(_ name: String, _ placeholder: String, _ summary: String, count: Count = .one, values: ValueKind = .anything) {
    (self.name, self.placeholder, self.summary, self.count, self.values) = (name, placeholder, summary, count, values)
  }

  /// As it is typed.
  var typed: String { "--" + name }

  /// As it stands in the help.
  var usage: String {
    switch count {
    case .flag: typed
    case .one, .repeated: "\(typed) \(placeholder)"
    case .several: "\(typed) \(placeholder)..."
    }
  }
}
