/// The words that can follow on a command line, and the shells' scripts that ask for them.
enum Completions {
  /// - Parameter typed: the line's words without the program's name; the last one is being typed.
  static func words(_ typed: [String], _ root: Command) -> [String] {
    let last = typed.last ?? ""
    var (command, operand, option): (Command, Int, CommandOption?) = (root, 0, nil)
    for word in typed.dropLast() {
      if option != nil {
        option = nil
      } else if word.hasPrefix("-") {
        option = options(command).first { $0.typed == word && $0.count != .flag }
      } else if let next = command.commands.first(where: { $0.name == word }) {
        command = next
      } else {
        operand += 1
      }
    }
    if option == nil, last.hasPrefix("-") { return options(command).map(\.typed).filter { $0.hasPrefix(last) } }
    let places = command.operands.dropFirst(operand)
    let place = places.first ?? command.operands.last { $0.count == .any }
    let values = option.map(\.values) ?? place?.values ?? .anything
    var words = values.words + (option == nil ? command.commands.map(\.name) : [])
    if option == nil, place?.count == .optional { words += places.dropFirst().first?.values.words ?? [] }
    if case .command = values { words += root.commands.map(\.name) + HelpTopic.all.map(\.name) }
    if case .list = values, let comma = last.lastIndex(of: ",") { words = words.map { String(last[...comma]) + $0 } }
    return words.filter { $0.hasPrefix(last) }
  }

  private static func options(_ command: Command) -> [CommandOption] { command.options + CommandOption.global }

  /// Each shell offers file names where there is no word.
  static let scripts = [
    "bash": """
    _photobroker() {
      mapfile -t COMPREPLY < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    }
    complete -o default -F _photobroker photobroker
    """,
    "zsh": """
    #compdef photobroker
    _photobroker() {
      local -a known=(${(f)"$($words[1] complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
      compadd -a known || _files
    }
    if [[ $funcstack[1] == _photobroker ]]; then _photobroker "$@"; else compdef _photobroker photobroker; fi
    """,
    "fish": """
    function __photobroker
      set -l typed (commandline -opc)
      set -l known ($typed[1] complete -- $typed[2..-1] "$(commandline -ct)" 2>/dev/null)
      if set -q known[1]; printf '%s\\n' $known; else; __fish_complete_path (commandline -ct); end
    end
    complete -c photobroker -f -a '(__photobroker)'
    """,
  ]
}
