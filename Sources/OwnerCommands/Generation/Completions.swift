/// The words that can follow on a command line, and the shells' scripts that ask for them.
enum Completions {
  /// - Parameters:
  /// - typed: The line's words without the program's name; the last one is being typed.
  /// - listed: The names of a list, for a line with these arguments and a begun name.
  static func words(
    _ typed: [String], _ root: Command, _ listed: (BrokerList, Arguments, String) -> [String] = { _, _, _ in [] }
  ) -> [String] {
    var last = typed.last ?? ""
    var (command, operand, arguments): (Command, Int, Arguments) = (root, 0, Arguments())
    var option: CommandOption?
    for word in typed.dropLast() {
      if let named = option {
        // An equals sign is a word of its own in bash.
        if word == "=" { continue }
        arguments.add([word], to: named)
        option = nil
      } else if word.hasPrefix("-") {
        let (name, value) = parts(word)
        option = options(command).first { $0.typed == name && $0.count != .flag }
        if let value, let named = option {
          arguments.add([value], to: named)
          option = nil
        }
      } else if let next = command.commands.first(where: { $0.name == word }) {
        command = next
      } else {
        if operand < command.operands.count { arguments.add(word, to: command.operands[operand]) }
        operand += 1
      }
    }
    var before = ""
    if option != nil {
      if last == "=" { last = "" }
    } else if last.hasPrefix("-") {
      let (name, value) = parts(last)
      guard let value else { return options(command).map(\.typed).filter { $0.hasPrefix(last) } }
      option = options(command).first { $0.typed == name }
      guard option != nil else { return [] }
      (before, last) = (name + "=", value)
    }
    let places = command.operands.dropFirst(operand)
    let place = places.first ?? command.operands.last { $0.count == .any }
    var kinds = [option.map(\.values) ?? place?.values ?? .anything]
    // The next operand's words may stand there too.
    if option == nil, place?.count == .optional { kinds += places.dropFirst().first.map { [$0.values] } ?? [] }
    if (option?.placeholder ?? place?.name ?? "").hasSuffix(",..."), let comma = last.lastIndex(of: ",") {
      before += last[...comma]
      last = String(last[last.index(after: comma)...])
    }
    var words = option == nil ? command.commands.map(\.name) : []
    for kind in kinds {
      words += kind.words
      for list in kind.lists { words += listed(list, arguments, last) }
      if case .command = kind { words += root.commands.map(\.name) + HelpTopic.all.map(\.name) }
    }
    var seen: Set<String> = []
    return words.filter { $0.hasPrefix(last) && seen.insert($0).inserted }.map { before + $0 }
  }

  private static func options(_ command: Command) -> [CommandOption] { command.options + CommandOption.global }

  /// The name and the value of `--name=value`.
  private static func parts(_ word: String) -> (name: String, value: String?) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }

  /// Each shell offers file names where there is no word. bash passes words as they were typed and
  /// inserts candidates as they are. Its script removes and adds quotes, since apps choose the titles
  /// of albums. Where a quote was typed it offers only words that need none.
  static let scripts = [
    "bash": #"""
    _photobroker() {
      local typed=("${COMP_WORDS[@]:1:COMP_CWORD}") at quoted
      mapfile -t COMPREPLY < <("$1" complete -- "${typed[@]//[\\\"\']/}" 2>/dev/null)
      for at in "${!COMPREPLY[@]}"; do
        printf -v quoted %q "${COMPREPLY[at]}"
        if [[ ${COMP_WORDS[COMP_CWORD]} != *[\"\']* ]]; then COMPREPLY[at]=$quoted
        elif [[ ${COMPREPLY[at]} != "$quoted" ]]; then unset "COMPREPLY[at]"; fi
      done
    }
    complete -o default -F _photobroker photobroker
    """#,
    "zsh": #"""
    #compdef photobroker
    _photobroker() {
      local -a known=(${(f)"$($words[1] complete -- "${(@)${(@Q)words[2,CURRENT]}#[\"\']}" 2>/dev/null)"})
      compadd -a known || _files
    }
    if [[ $funcstack[1] == _photobroker ]]; then _photobroker "$@"; else compdef _photobroker photobroker; fi
    """#,
    "fish": #"""
    function __photobroker
      set -l typed (commandline -opc)
      set -l word (commandline -ct)
      set -l last (string unescape -- "$word"; or string trim -l -c "\"'" -- "$word")
      set -l known ($typed[1] complete -- $typed[2..-1] "$last" 2>/dev/null)
      if set -q known[1]; printf '%s\n' $known; else; __fish_complete_path "$word"; end
    end
    complete -c photobroker -f -a '(__photobroker)'
    """#,
  ]
}
