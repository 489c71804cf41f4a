/// The output of `--help`.
enum HelpText {
  static let width = 100

  static func usage(_ path: [String], _ command: Command) -> String {
    var words = ["usage: photobroker"] + path
    if command.commands.isEmpty {
      words += command.operands.map(\.usage)
      if !command.options.isEmpty { words.append("[options]") }
    } else {
      words.append("COMMAND")
    }
    return words.joined(separator: " ")
  }

  static func page(_ path: [String], _ command: Command) -> [String] {
    var lines = wrapped(command.summary + ".", indent: 0) + ["", usage(path, command)]
    if !command.discussion.isEmpty { lines += [""] + wrapped(command.discussion, indent: 0) }
    let last = path.isEmpty ? CommandTable.forDevelopers : []
    section("Commands", command.commands.dropLast(last.count).map { ($0.name, $0.summary) }, &lines)
    section("Operands", command.operands.map { ($0.name, $0.summary) }, &lines)
    section("Options", command.options.map { ($0.usage, $0.summary) }, &lines)
    section("Options of every command", CommandOption.global.map { ($0.usage, $0.summary) }, &lines)
    if path.isEmpty { section("Further help", HelpTopic.all.map { ("help " + $0.name, $0.summary) }, &lines) }
    section("For developers", last.map { ($0.name, $0.summary) }, &lines)
    return lines
  }

  private static func section(_ title: String, _ rows: [(String, String)], _ lines: inout [String]) {
    guard !rows.isEmpty else { return }
    lines += ["", title + ":"]
    let column = min(26, rows.map(\.0.count).max() ?? 0) + 4
    for (term, text) in rows {
      let body = wrapped(text, indent: column)
      if term.count + 4 > column {
        lines += ["  " + term] + body
      } else {
        let first = body.first.map { String($0.dropFirst(column)) } ?? ""
        lines.append("  " + term + String(repeating: " ", count: column - term.count - 2) + first)
        lines += body.dropFirst()
      }
    }
  }

  static func wrapped(_ text: String, indent: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      ShownText.wrapped(String($0), to: width, indent: indent, hanging: indent)
    }
  }
}
