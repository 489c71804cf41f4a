/// A command or a group of commands.
///
/// Parsing, `--help`, completions and the manual page are all made from this description.
struct Command: Sendable {
  enum Body: Sendable {
    case group([Command])
    case action(@Sendable (Invocation) throws(CommandError) -> Void)
  }

  let name: String
  /// One line without a full stop.
  let summary: String
  /// Further paragraphs of the help, or empty.
  let discussion: String
  let operands: [Operand]
  /// Options besides the global ones.
  let options: [CommandOption]
  let body: Body

  /// A group of commands.
  init(_ name: String, _ summary: String, commands: [Command]) {
    (self.name, self.summary, discussion, operands, options) = (name, summary, "", [], [])
    body = .group(commands)
  }

  /// A command with an action.
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

  /// The subcommands; empty for a command with an action.
  var commands: [Command] {
    if case .group(let commands) = body { commands } else { [] }
  }

  /// All commands with an action and their paths, in the table's order.
  func leaves(_ path: [String] = []) -> [(path: [String], command: Command)] {
    commands.isEmpty ? [(path, self)] : commands.flatMap { $0.leaves(path + [$0.name]) }
  }

  /// This command and all below it, with their paths, in the table's order.
  func all(_ path: [String] = []) -> [(path: [String], command: Command)] {
    [(path, self)] + commands.flatMap { $0.all(path + [$0.name]) }
  }
}
