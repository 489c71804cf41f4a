/// The kind of a value, for completion and validation.
enum ValueKind: Sendable {
  case anything
  case file
  case folder
  /// One of these words; parsing refuses others.
  case words([String])
  /// One of these words; the arguments have the interface's word for it.
  case owners(OwnerWords)
  /// Some of these words, separated by commas.
  case list([String])
  /// A plugin's name: one of these bundled ones or an installed one.
  case plugin([String])
  /// The words of a command, or a help topic.
  case command
  /// A name of these lists.
  case listed([BrokerList])

  /// The known words, for completion.
  var words: [String] {
    switch self {
    case .words(let words), .list(let words), .plugin(let words): words
    case .owners(let words): words.typed
    case .anything, .file, .folder, .command, .listed: []
    }
  }

  /// The value in the arguments of a word that was typed.
  func value(_ typed: String) -> String {
    if case .owners(let words) = self { words.wire(typed) } else { typed }
  }

  /// Whether the value is a user, or users separated by commas.
  var areUsers: Bool { if case .listed([.users]) = self { true } else { false } }

  /// The lists of known names, for completion.
  var lists: [BrokerList] {
    switch self {
    case .listed(let lists): lists
    case .plugin: [.albumPolicies]
    case .anything, .file, .folder, .command, .words, .owners, .list: []
    }
  }
}
