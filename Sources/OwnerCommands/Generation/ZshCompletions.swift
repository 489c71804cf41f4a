/// Completions for zsh, made from the table of commands.
enum ZshCompletions {
  static func lines(_ root: Command) -> [String] {
    var lines = ["#compdef photobroker", "# zsh completions of photobroker; made by: photobroker completions zsh"]
    for (path, command) in root.all() {
      lines.append("\(function(path))() {")
      lines.append("  _arguments -S \\")
      for option in command.options + CommandOption.global { lines.append("    \(specification(option)) \\") }
      if command.commands.isEmpty {
        for (index, operand) in command.operands.enumerated() {
          let place = operand.count == .any ? "'*" : operand.count == .optional ? "'\(index + 1):" : "'\(index + 1)"
          lines.append("    \(place):\(escaped(operand.summary)):\(action(operand.values, root))' \\")
        }
        lines += ["    && return 0", "}"]
      } else {
        lines += [
          "    '1: :->command' '*:: :->rest' && return 0", "  case $state in", "    command)", "      local -a known=(",
        ]
        for sub in command.commands { lines.append("        '\(sub.name):\(escaped(sub.summary))'") }
        lines += ["      )", "      _describe command known ;;", "    rest)", "      case $words[1] in"]
        for sub in command.commands { lines.append("        \(sub.name)) \(function(path + [sub.name])) ;;") }
        lines += ["      esac ;;", "  esac", "}"]
      }
    }
    lines += [
      "if [[ $funcstack[1] == _photobroker ]]; then _photobroker \"$@\"; else compdef _photobroker photobroker; fi"
    ]
    return lines
  }

  private static func function(_ path: [String]) -> String { (["_photobroker"] + path).joined(separator: "_") }

  private static func specification(_ option: CommandOption) -> String {
    let many = option.count == .repeated || option.count == .several ? "*" : ""
    let text = "'\(many)\(option.typed)[\(escaped(option.summary))]"
    return option.count == .flag ? text + "'" : text + ":\(option.placeholder):\(action(option.values, nil))'"
  }

  private static func action(_ values: ValueKind, _ root: Command?) -> String {
    switch values {
    case .file: "_files"
    case .folder: "_files -/"
    case .words(let words), .plugin(let words): "(\(words.joined(separator: " ")))"
    case .list(let words): "_values -s , value \(words.joined(separator: " "))"
    case .command: "(\(((root?.commands.map(\.name) ?? []) + HelpTopic.all.map(\.name)).joined(separator: " ")))"
    case .anything: " "
    }
  }

  /// Text inside single quotes, where brackets and colons mean something to _arguments.
  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "'": "’"
      case "[", "]", ":": "\\\(character)"
      default: String(character)
      }
    }.joined()
  }
}
