import BrokerInterface

extension Invocation {
  /// A waiting request, with its app and library.
  typealias Waiting = (name: String, app: Admin.AppInfo, library: String)

  /// The name of the waiting request that the person means. Without a typed name it is the only one,
  /// and of several a person at a terminal chooses one.
  ///
  /// - Parameter gives: whether the answer gives access or deletes.
  /// - Throws: `notFound` if it does not wait; `usage` if nobody can be asked, and several wait or the
  ///   answer gives.
  func waiting(
    _ kind: String, _ operand: Operand, gives: Bool, among all: () throws(CommandError) -> [Waiting]
  ) throws(CommandError) -> String {
    let typed = arguments.all(operand).first
    if let typed, !Self.isPrefix(typed) { return typed }
    let items = try all()
    if let typed {
      let name = try identifier(typed, kind) { items.map(\.name) }
      guard items.contains(where: { $0.name == name }) else { throw .notWaiting(kind, typed, items) }
      return name
    }
    guard let first = items.first else { throw CommandError(.notFound, "No \(kind) waits for you.") }
    var table = Table(kind.uppercased(), "APP", "CALLS ITSELF", "USER", "LIBRARY")
    for item in items {
      table.add(
        item.name, item.app.identifier, "“\(ShownText.claimed(item.app.displayName))”", Words.user(item.app.uid),
        item.library)
    }
    let whole = table.lines
    guard items.count > 1 else {
      // Another request may have come since a script looked.
      guard !gives || asksFirst || arguments.has(.yes) else {
        throw .usage("Name the \(kind), \(first.name) of \(Words.app(first.app)) in \(first.library), or add --yes.")
      }
      // Previews go to standard output, which a person may not see.
      if gives, asksFirst, !console.isTerminal { console.complain(whole[1]) }
      return first.name
    }
    guard console.canAsk, !isJSON else {
      throw .usage("\(items.count) \(kind)s wait. Name one of them:\n" + whole.joined(separator: "\n"))
    }
    // Numbers stand before the rows.
    let digits = String(items.count).count
    for (index, line) in table.fitted(to: console.columns - digits - 2).lines.enumerated() {
      let number = index == 0 ? "" : String(index)
      console.complain(String(repeating: " ", count: digits - number.count) + number + "  " + line)
    }
    let answer = console.ask("Which \(kind), 1 to \(items.count)? ") ?? ""
    guard let number = Int(answer), items.indices.contains(number - 1) else {
      throw CommandError(.declined, "Nothing was changed.")
    }
    return items[number - 1].name
  }

  /// Refuses a missing answer that nobody can be asked for.
  ///
  /// - Throws: `usage`.
  func requireAnswer(_ operand: Operand) throws(CommandError) {
    guard arguments[operand].isEmpty, !asksFirst else { return }
    throw .usage("\(operand.name) is missing: \(operand.summary).")
  }

  /// Asks for one of some answers; its beginning is enough.
  ///
  /// - Throws: `declined` for an empty line; `usage` for another one.
  func answer(among answers: [String]) throws(CommandError) -> String {
    let line = console.ask("Answer, one of \(answers.joined(separator: ", ")): ") ?? ""
    guard !line.isEmpty else { throw CommandError(.declined, "Nothing was changed.") }
    let meant = answers.filter { $0.hasPrefix(line) }
    guard meant.count == 1 else {
      throw .usage("\(line) is none of the answers: \(answers.joined(separator: ", ")).")
    }
    return meant[0]
  }
}
