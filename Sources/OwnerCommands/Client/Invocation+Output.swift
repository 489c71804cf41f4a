import Varlink

extension Invocation {
  /// Prints a reply as it arrived where JSON was asked for, else what `people` makes of it.
  func report<Value>(_ answer: Answer<Value>, people: (Value) throws(CommandError) -> Void) throws(CommandError) {
    if isJSON { console.print(JSONText.printable(answer.json)) } else { try people(answer.value) }
  }

  /// Prints a document of our own where JSON was asked for, else what `people` does.
  func report(_ document: JSONObject, people: () throws(CommandError) -> Void) throws(CommandError) {
    if isJSON { console.print(JSONText.printable(document)) } else { try people() }
  }

  /// Prints what was asked for.
  func print(_ table: Table, whenEmpty: String) {
    if isJSON { return }
    if table.lines.isEmpty { say(whenEmpty) }
    for line in table.lines { console.print(line) }
  }

  /// Prints a line that was asked for, made fit for a terminal.
  func print(_ line: String) {
    if !isJSON { console.print(ShownText.escaped(line)) }
  }

  /// Prints a remark, which `--quiet` leaves out.
  func say(_ line: String) {
    if !isJSON, !arguments.has(.quiet) { console.print(ShownText.escaped(line)) }
  }

  /// Prints a warning to standard error, whatever was asked for.
  func warn(_ text: String) { console.complain("photobroker: " + ShownText.lines(text)) }

  /// Asks before something that cannot be taken back.
  ///
  /// - Throws: `declined`; `usage` where nobody can be asked and `--yes` is missing.
  func confirm(_ question: String) throws(CommandError) {
    if arguments.has(.yes) { return }
    guard console.canAsk else {
      throw .usage("\(question) There is no terminal to ask on: say --yes to do it.")
    }
    let answer = console.ask(ShownText.lines(question) + " [y/N] ")?.lowercased()
    guard answer == "y" || answer == "yes" else { throw CommandError(.declined, "Nothing was changed.") }
  }
}
