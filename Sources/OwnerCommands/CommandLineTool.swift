import Accounts
import Glibc
import Limits
import Varlink

/// The command line of owners and administrators, without a process of its own.
package enum CommandLineTool {
  /// Reports failed output, except to a reader that closed its pipe.
  ///
  /// - Parameter cause: an `errno`.
  /// - Returns: the exit status.
  package static func outputFailed(_ cause: Int32, _ console: any Console) -> Int32 {
    if cause != EPIPE {
      console.complain(
        "photobroker: the command was carried out, but its output could not be written: "
          + String(cString: strerror(cause)))
    }
    return ExitCode.failed.rawValue
  }

  /// Runs one command line.
  ///
  /// - Parameter words: the arguments without the program's name.
  /// - Returns: the exit status; `photobroker help exit-codes` lists them.
  package static func run(_ words: [String], environment: [String: String], console: any Console) -> Int32 {
    // The parser may fail at a word before `--json`.
    let isJSON = words.prefix(while: { $0 != "--" }).contains(CommandOption.json.typed)
    do throws(CommandError) {
      switch try ArgumentParser(root: CommandTable.root).parse(words) {
      case .version:
        console.print(
          isJSON
            ? JSONText.printable(["version": .string(Product.version)] as JSONObject) : "photobroker \(Product.version)"
        )
      case .help(let path, let command):
        show(HelpText.page(path, command), isJSON: isJSON, console)
      case .run(let command, let arguments):
        guard case .action(let run) = command.body else { break }
        if !isJSON { noteUnknownUsers(command, arguments, console) }
        try run(Invocation(arguments, console: console, environment: environment))
      }
      return ExitCode.success.rawValue
    } catch {
      if let status = error.exitStatus { return status }
      if isJSON {
        console.complain(JSONText.printable(error.document))
      } else {
        console.complain("photobroker: " + ShownText.lines(error.message))
      }
      return error.code.rawValue
    }
  }

  /// Notes the numbers of users without an account. They are valid, for instance in a container, but
  /// may be typing errors.
  private static func noteUnknownUsers(_ command: Command, _ arguments: Arguments, _ console: any Console) {
    let words =
      command.operands.filter(\.values.areUsers).flatMap(arguments.all)
      + command.options.filter(\.values.areUsers).flatMap(arguments.all)
    let users = Set(words.flatMap { $0.split(separator: ",") }.compactMap { UInt32($0) }).filter {
      $0 != .max && AccountNames.name(of: $0) == nil
    }
    guard !users.isEmpty else { return }
    let shown = users.sorted().map(String.init).joined(separator: ", ")
    console.complain("photobroker: note: this machine has no user \(shown)")
  }

  /// Prints help, a manual page or completions; as one string with `--json`.
  static func show(_ lines: [String], isJSON: Bool, _ console: any Console) {
    if isJSON {
      return console.print(JSONText.printable(["text": .string(lines.joined(separator: "\n"))] as JSONObject))
    }
    for line in lines { console.print(line) }
  }
}
