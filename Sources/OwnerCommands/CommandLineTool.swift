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

  /// Prints help, a manual page or completions; as one string with `--json`.
  static func show(_ lines: [String], isJSON: Bool, _ console: any Console) {
    if isJSON {
      return console.print(JSONText.printable(["text": .string(lines.joined(separator: "\n"))] as JSONObject))
    }
    for line in lines { console.print(line) }
  }
}
