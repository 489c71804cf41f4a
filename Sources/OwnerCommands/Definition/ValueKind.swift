/// What a value is, for completion.
enum ValueKind: Sendable {
  case anything
  case file
  case folder
  /// One of these; anything else is refused when parsing.
  case words([String])
  /// The words of a command or a topic of the help.
  case command

  /// The words that can stand here, where they are known.
  var words: [String] {
    if case .words(let words) = self { words } else { [] }
  }
}
