/// Completions for bash, made from the table of commands.
enum BashCompletions {
  static func lines(_ root: Command) -> [String] {
    var lines = [
      "# bash completions of photobroker; made by: photobroker completions bash",
      "_photobroker() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= word index words= values=0 operand=0",
      "  COMPREPLY=()",
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    word=${COMP_WORDS[index]}",
      "    if ((values)); then values=0; continue; fi",
      "    case $word in",
      "      \(valued(root)) ) values=1 ;;",
      "      -*) ;;",
      "      *) case \"$path/$word\" in",
      "        \(root.all().dropFirst().map { "/" + $0.path.joined(separator: "/") }.joined(separator: "|"))) path=$path/$word ;;",
      "        *) operand=$((operand + 1)) ;;",
      "      esac ;;",
      "    esac",
      "  done",
      "  case $previous in",
    ]
    for option in options(root) where option.count != .flag {
      lines.append("    \(option.typed)) \(action(option.values)) ;;")
    }
    lines += ["  esac", "  case $path in"]
    for (path, command) in root.all() {
      var words = command.commands.map(\.name)
      words += (command.options + CommandOption.global).map(\.typed)
      let name = path.isEmpty ? "''" : "/" + path.joined(separator: "/")
      lines.append("    \(name)) words='\(words.joined(separator: " "))'\(operands(command, root)) ;;")
    }
    lines += [
      "  esac", "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")", "}",
      "complete -F _photobroker photobroker",
    ]
    return lines
  }

  /// Adds what can stand where the word is that is being typed.
  private static func operands(_ command: Command, _ root: Command) -> String {
    let offers = command.operands.map { offer($0.values, root) }
    guard offers.contains(where: { !$0.isEmpty }) else { return "" }
    let cases = zip(command.operands.indices, offers).map { index, offer in
      "\(command.operands[index].count == .any ? "*" : "\(index)"))\(offer) ;;"
    }
    return "; case $operand in \(cases.joined(separator: " ")) esac"
  }

  private static func offer(_ values: ValueKind, _ root: Command) -> String {
    switch values {
    case .words(let words), .list(let words), .plugin(let words): " words+=' \(words.joined(separator: " "))'"
    case .command: " words+=' \((root.commands.map(\.name) + HelpTopic.all.map(\.name)).joined(separator: " "))'"
    case .file, .folder: " [[ $current == -* ]] || compopt -o default"
    case .anything: ""
    }
  }

  /// Every option of any command, each name once.
  static func options(_ root: Command) -> [CommandOption] {
    var names: Set<String> = []
    return (CommandOption.global + root.leaves().flatMap(\.command.options)).filter { names.insert($0.name).inserted }
  }

  /// The options whose value stands in a word of its own, as a pattern.
  private static func valued(_ root: Command) -> String {
    options(root).filter { $0.count != .flag }.map(\.typed).joined(separator: "|")
  }

  private static func action(_ values: ValueKind) -> String {
    switch values {
    case .file: "mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return"
    case .folder: "mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); return"
    case .words(let words), .plugin(let words):
      "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$current\"); return"
    case .list(let words):
      "local head=; [[ $current == *,* ]] && head=${current%,*},; "
        + "mapfile -t COMPREPLY < <(compgen -P \"$head\" -W '\(words.joined(separator: " "))' -- \"${current##*,}\"); return"
    case .anything, .command: "return"
    }
  }
}
