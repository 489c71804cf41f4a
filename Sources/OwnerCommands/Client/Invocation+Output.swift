import BrokerInterface
import Varlink

extension Invocation {
  /// Prints the reply's own JSON with `--json`, else calls `people`.
  func report<Value>(_ answer: Answer<Value>, people: (Value) throws(CommandError) -> Void) throws(CommandError) {
    if isJSON { console.print(JSONText.printable(answer.json)) } else { try people(answer.value) }
  }

  /// Prints a document of this program with `--json`, else calls `people`.
  func report(
    _ document: @autoclosure () -> JSONObject, people: () throws(CommandError) -> Void
  ) throws(CommandError) {
    if isJSON { console.print(JSONText.printable(document())) } else { try people() }
  }

  /// Prints a table, on a terminal as wide as that.
  /// - Parameter notes: lines below each row.
  func print(_ table: Table, notes: [[String]] = [], whenEmpty: String) {
    if isJSON { return }
    let isWhole = !console.isTerminal || arguments.has(.wide)
    var lines = (isWhole ? table : table.fitted(to: console.columns)).lines
    if lines.isEmpty { return say(whenEmpty) }
    for (row, texts) in notes.enumerated().reversed() where row + 1 < lines.count {
      let shown = texts.map { ShownText.escaped($0) }
      lines.insert(
        contentsOf: isWhole
          ? shown.map { "  " + $0 } : shown.flatMap { ShownText.wrapped($0, to: console.columns, indent: 2) },
        at: row + 2)
    }
    console.print(lines.joined(separator: "\n"))
  }

  /// Prints values beside their names, without those that are nil, and on a terminal as wide as that.
  func print(_ rows: [(name: String, value: String?)]) {
    if isJSON { return }
    let width = (rows.lazy.filter { $0.value != nil }.map(\.name.count).max() ?? 0) + 2
    for case (let name, let value?) in rows {
      let start = name + String(repeating: " ", count: width - name.count)
      guard console.isTerminal, !arguments.has(.wide) else {
        print(start + value)
        continue
      }
      // A very narrow terminal breaks the lines itself.
      let room = max(Self.leastValueWidth, console.columns - width)
      for (number, line) in ShownText.wrapped(ShownText.escaped(value), to: room, indent: 0).enumerated() {
        console.print((number == 0 ? start : String(repeating: " ", count: width)) + line)
      }
    }
  }

  private static let leastValueWidth = 20

  /// Prints a receipt, unless it has nothing to report.
  ///
  /// - Parameter ends: whether the access ended; else it may only have become less.
  func print(_ receipt: Admin.Receipt, ends: Bool) {
    guard !Words.isEmpty(receipt) else { return }
    for line in Words.receipt(receipt, ends: ends) { print(line) }
  }

  /// Prints a line of the requested output, with control characters escaped.
  func print(_ line: String) {
    if !isJSON { console.print(ShownText.escaped(line)) }
  }

  /// Prints a remark, which `--quiet` suppresses.
  func say(_ line: String) {
    if !isJSON, !arguments.has(.quiet) { console.print(ShownText.escaped(line)) }
  }

  /// Prints a warning to standard error, also with `--quiet` and `--json`.
  func warn(_ text: String) { console.complain("photobroker: " + ShownText.lines(text)) }

  /// The number of photos by which an app's view may grow without a question.
  static let largeWidening: Int64 = 1_000

  /// Asks before a decision lets an app see many more photos.
  ///
  /// - Throws: as `confirm`.
  func confirmWidening(_ count: Int64, of app: String) throws(CommandError) {
    if count > Self.largeWidening { try confirm("Let \(app) see \(count) more photos?") }
  }

  /// The number of assets in a library; 0 if the caller has none of the name.
  func assetCount(_ library: String) throws(CommandError) -> Int64 {
    try callForAll(Admin.ListLibraries.self, .init()).value.libraries.first { $0.name == library }?.assets ?? 0
  }

  /// Asks for confirmation before an irreversible step.
  ///
  /// - Parameter isChange: Whether the step changes anything; else nobody is asked.
  /// - Throws: `declined`; `usage` without a terminal and without `--yes`.
  func confirm(
    _ question: String, if isChange: () throws(CommandError) -> Bool = { () throws(CommandError) in true }
  ) throws(CommandError) {
    if arguments.has(.yes) { return }
    guard try isChange() else { return }
    guard console.canAsk else {
      throw .usage("\(question) Nobody can be asked without a terminal. Add --yes to go ahead.")
    }
    let answer = console.ask(ShownText.lines(question) + " [y/N] ")?.lowercased()
    guard answer == "y" || answer == "yes" else { throw CommandError(.declined, "Nothing was changed.") }
  }
}
