import Glibc

/// The owner's and administrator's command line, as a function.
package enum CommandLineTool {
  /// The version of this program.
  package static let version = "0.1.0"

  /// Says that what was printed did not arrive, except to a reader that wanted no more.
  ///
  /// - Returns: the exit status.
  package static func outputFailed(_ cause: Int32, _ console: any Console) -> Int32 {
    if cause != EPIPE {
      let reason = strerror(cause).map { String(cString: $0) } ?? "error \(cause)"
      console.complain("photobroker: what was asked for was done, and printing it failed: \(reason)")
    }
    return ExitCode.failed.rawValue
  }

  /// Runs one command line.
  ///
  /// - Parameter words: without the program's name.
  /// - Returns: the exit status; `photobroker help exit-codes` lists them.
  package static func run(_ words: [String], environment: [String: String], console: any Console) -> Int32 {
    do throws(CommandError) {
      switch try ArgumentParser(root: CommandTable.root).parse(words) {
      case .version:
        console.print("photobroker \(version)")
      case .help(let path, let command):
        for line in HelpText.page(path, command) { console.print(line) }
      case .run(let command, let arguments):
        guard case .action(let run) = command.body else { break }
        try run(Invocation(arguments, console: console, environment: environment))
      }
      return ExitCode.success.rawValue
    } catch {
      if let status = error.exitStatus { return status }
      // The option may stand behind the word that could not be parsed.
      if words.prefix(while: { $0 != "--" }).contains(CommandOption.json.typed) {
        console.complain(JSONText.printable(error.document))
      } else {
        console.complain("photobroker: " + ShownText.lines(error.message))
      }
      return error.code.rawValue
    }
  }
}
