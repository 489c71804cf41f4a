import Varlink

/// Commands that document the program itself.
enum ManualCommands {
  private static let shell = Operand("SHELL", "bash, zsh or fish", values: .words(["bash", "zsh", "fish"]))

  static let completions: Command = Command(
    "completions", "Print a shell's completions", [shell],
    discussion: """
      bash: photobroker completions bash > ~/.local/share/bash-completion/completions/photobroker
      zsh: photobroker completions zsh > a folder of $fpath/_photobroker
      fish: photobroker completions fish > ~/.config/fish/completions/photobroker.fish
      """
  ) { invocation throws(CommandError) in
    let script = Completions.scripts[invocation.arguments[shell]] ?? ""
    CommandLineTool.show([script], isJSON: invocation.isJSON, invocation.console)
  }

  private static let typed = Operand(
    "WORD", "the words of a command line behind --, the last one is being typed", count: .any)

  /// How long a shell waits for a broker that does not answer.
  private static let patience = Duration.seconds(1)

  static let complete: Command = Command(
    "complete", "Print the words that can follow on a command line, for shells", [typed]
  ) {
    invocation throws(CommandError) in
    let words = Completions.words(invocation.arguments.all(typed), CommandTable.root) { list, arguments, begun in
      let line = Invocation(
        arguments, console: invocation.console, environment: invocation.environment, patience: patience)
      // Without a broker or rights there is nothing to offer.
      return (try? list.names(begun, line)) ?? []
    }
    CommandLineTool.show(words, isJSON: invocation.isJSON, invocation.console)
  }

  static let man: Command = Command("man", "Print the manual page; photobroker man | man -l - shows it") {
    invocation throws(CommandError) in
    CommandLineTool.show(ManualPage.lines(CommandTable.root), isJSON: invocation.isJSON, invocation.console)
  }

  private static let words = Operand("COMMAND", "the words of a command, or a topic", count: .any, values: .command)

  static let help: Command = Command("help", "Say how a command is used, or explain a topic", [words]) {
    invocation throws(CommandError) in
    let typed = invocation.arguments.all(words)
    if typed.count == 1, let topic = HelpTopic.all.first(where: { $0.name == typed[0] }) {
      return CommandLineTool.show(topic.lines, isJSON: invocation.isJSON, invocation.console)
    }
    var command = CommandTable.root
    for word in typed {
      guard let next = command.commands.first(where: { $0.name == word }) else {
        let known = command.commands.map(\.name) + HelpTopic.all.map(\.name)
        let hint = NearestWord.hint(for: word, among: known) ?? "Known: \(known.joined(separator: ", "))."
        throw .usage("There is no command and no topic \(word). \(hint)")
      }
      command = next
    }
    CommandLineTool.show(HelpText.page(typed, command), isJSON: invocation.isJSON, invocation.console)
  }
}
