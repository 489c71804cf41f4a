/// One command of the tree: what it is called, what it takes and what it does.
///
/// Parsing, `--help`, the shells' completions and the manual page are all made from this one description.
struct Command: Sendable {
  /// What a command does: it leads to others, or it runs.
  enum Body: Sendable {
    case group([Command])
    case action(@Sendable (Invocation) throws(CommandError) -> Void)
  }

  /// The word that is typed.
  let name: String
  /// One line, without a full stop.
  let summary: String
  /// Further paragraphs of the help; empty where the summary says it all.
  let discussion: String
  /// What it takes by position, in order.
  let operands: [Operand]
  /// What it takes by name, beside the global options.
  let options: [CommandOption]
  let body: Body

  /// A command that leads to others.
  init(_ name: String, _ summary: String, commands: [Command]) {
    (self.name, self.summary, discussion, operands, options) = (name, summary, "", [], [])
    body = .group(commands)
  }

  /// A command that runs.
  init(
    _ name: String, _ summary: String, _ operands: [Operand] = [], options: [CommandOption] = [],
    discussion: String = "",
    run: @escaping @Sendable (Invocation) throws(CommandError) -> Void
  ) {
    (self.name, self.summary, self.discussion, self.operands, self.options) = (
      name, summary, discussion, operands, options
    )
    body = .action(run)
  }

  /// The commands that it leads to; empty for one that runs.
  var commands: [Command] {
    if case .group(let commands) = body { commands } else { [] }
  }

  /// Every command that runs, with the words that lead to it, in the order of the table.
  func leaves(_ path: [String] = []) -> [(path: [String], command: Command)] {
    commands.isEmpty ? [(path, self)] : commands.flatMap { $0.leaves(path + [$0.name]) }
  }

  /// Every group and every command that runs, this one first, with the words that lead to it.
  func all(_ path: [String] = []) -> [(path: [String], command: Command)] {
    [(path, self)] + commands.flatMap { $0.all(path + [$0.name]) }
  }
}
