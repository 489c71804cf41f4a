import Accounts
import Glibc

extension Subprocess {
  /// Runs another program to its end. It inherits the standard descriptors.
  ///
  /// - Parameters:
  ///   - input: its standard input; nil: inherited.
  ///   - output: its standard output; nil: inherited.
  ///   - isQuiet: whether its standard output is discarded.
  ///   - keepsComplaints: whether its standard error goes into the error message instead. Only for
  ///     programs that leave no process behind.
  ///   - advice: the remedy in the error message.
  /// - Throws: `unavailable` if the program is not installed, `failed` if it failed.
  static func run(
    _ command: [String], input: Int32? = nil, output: Int32? = nil, isQuiet: Bool = false,
    keepsComplaints: Bool = false,
    advice: String = "Does the file system take access control lists?"
  ) throws(CommandError) {
    guard let name = command.first else { return }
    let ending: Ending
    do throws(NotStarted) {
      ending = try run(command, capturesErrors: keepsComplaints) { actions in
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if isQuiet { posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) }
      }
    } catch {
      let remedy =
        switch name {
        case "setfacl", "getfacl": " Install the package acl, or let the broker's user read the folder in another way."
        case "xdg-open": " Install the package xdg-utils, or open the link that photobroker open --print prints."
        default: ""
        }
      throw CommandError(.unavailable, "\(name) cannot be run.\(remedy)")
    }
    // A normal exit has its code in the second byte.
    guard ending.status == 0 else {
      let said = ending.errorLines.joined(separator: " ")
      throw CommandError(
        .failed,
        "\(command.joined(separator: " ")) failed with status \(ending.status >> 8 & 0xFF)"
          + "\(said.isEmpty ? "." : ": \(said)") \(advice)")
    }
  }
}
