/// Completions for fish, made from the table of commands.
enum FishCompletions {
  static func lines(_ root: Command) -> [String] {
    let valued = BashCompletions.options(root).filter { $0.count != .flag }.map(\.typed).joined(separator: " ")
    var lines = [
      "# fish completions of photobroker; made by: photobroker completions fish",
      "function __photobroker_path",
      "  set -l known \(root.all().dropFirst().map { "'" + $0.path.joined(separator: " ") + "'" }.joined(separator: " "))",
      "  set -l path",
      "  set -l value 0",
      "  set -l operands 0",
      "  for word in (commandline -opc)[2..-1]",
      "    if test $value -eq 1; set value 0; continue; end",
      "    if contains -- $word \(valued); set value 1; continue; end",
      "    if string match -q -- '-*' $word; continue; end",
      "    if contains -- (string join ' ' $path $word) $known; set -a path $word; else; set operands (math $operands + 1); end",
      "  end",
      "  echo \"$path\"",
      "  echo $operands",
      "end",
      "function __photobroker_at",
      "  set -l place (__photobroker_path)",
      "  test \"$place[1]\" = \"$argv\"",
      "end",
      "function __photobroker_operand",
      "  set -l place (__photobroker_path)",
      "  test \"$place[1]\" = \"$argv[3..-1]\"; and test $place[2] $argv[1..2]",
      "end",
      "complete -c photobroker -f",
    ]
    for option in CommandOption.global { lines.append(line("", option)) }
    for (path, command) in root.all() {
      let at = "-n '__photobroker_at \(path.joined(separator: " "))' "
      for sub in command.commands {
        lines.append("complete -c photobroker \(at)-a \(sub.name) -d '\(escaped(sub.summary))'")
      }
      for option in command.options { lines.append(line(at, option)) }
      for (index, operand) in command.operands.enumerated() {
        let values = arguments(operand.values, root)
        let place =
          "-n '__photobroker_operand \(operand.count == .any ? "-ge" : "-eq") \(index) \(path.joined(separator: " "))' "
        if !values.isEmpty { lines.append("complete -c photobroker \(place)\(values)") }
      }
    }
    return lines
  }

  private static func line(_ at: String, _ option: CommandOption) -> String {
    var line = "complete -c photobroker \(at)-l \(option.name) -d '\(escaped(option.summary))'"
    if option.count != .flag {
      let values = arguments(option.values, nil)
      line += values.isEmpty ? " -x" : option.values.words.isEmpty ? " -r -F" : " -x \(values)"
    }
    return line
  }

  private static func arguments(_ values: ValueKind, _ root: Command?) -> String {
    switch values {
    case .file, .folder: "-F"
    case .words(let words), .list(let words), .plugin(let words): "-a '\(words.joined(separator: " "))'"
    case .command: "-a '\(((root?.commands.map(\.name) ?? []) + HelpTopic.all.map(\.name)).joined(separator: " "))'"
    case .anything: ""
    }
  }

  private static func escaped(_ text: String) -> String {
    text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
  }
}
