/// Words of a closed set in the interface, as owners read and type them. PhotoKit's words stay with
/// apps and with `--json`.
struct OwnerWords: Sendable {
  struct Word: Sendable {
    /// The word of a command line.
    let typed: String
    let wire: String
    /// The words of a message.
    let shown: String
  }

  private let words: [Word]

  /// - Parameter words: the typed word, the interface's, and the shown words if these are not the typed
  ///   word with spaces.
  init(_ words: [(typed: String, wire: String, shown: String?)]) {
    self.words = words.map {
      Word(typed: $0.typed, wire: $0.wire, shown: $0.shown ?? String($0.typed.map { $0 == "-" ? " " : $0 }))
    }
  }

  /// The words that a person types, each once.
  var typed: [String] {
    words.reduce(into: []) { list, word in if !list.contains(word.typed) { list.append(word.typed) } }
  }

  /// The interface's words, which authors of apps read.
  var wires: [String] { words.map(\.wire) }

  /// The interface's word of a typed one; another word stays as it is.
  func wire(_ typed: String) -> String { words.first { $0.typed == typed }?.wire ?? typed }

  /// The words of a message for the interface's word; nil for an unknown one.
  func known(_ wire: String) -> String? { words.first { $0.wire == wire }?.shown }

  /// The same; an unknown word stays as it is, because some sets are open.
  func shown(_ wire: String) -> String { known(wire) ?? wire }
}
