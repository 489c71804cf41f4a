/// What a value is, for completion.
enum ValueKind: Sendable {
  case anything
  case file
  case folder
  /// One of these; anything else is refused when parsing.
  case words([String])
  /// Some of these, with commas between.
  case list([String])
  /// A plugin's name: one of these bundled ones, or whatever is installed beside them.
  case plugin([String])
  /// The words of a command or a topic of the help.
  case command

  /// The words that can stand here, where they are known.
  var words: [String] {
    switch self {
    case .words(let words), .list(let words), .plugin(let words): words
    case .anything, .file, .folder, .command: []
    }
  }
}
