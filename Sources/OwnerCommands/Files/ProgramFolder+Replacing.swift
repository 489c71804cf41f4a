import Accounts
import Glibc

extension ProgramFolder {
  /// Replaces this process by a program beside it, else on `PATH`; returns only by an error.
  /// - Throws: `unavailable` if the program is not installed.
  static func replaceThisProcess(
    by program: String, _ words: [String], ifMissing reason: String
  ) throws(CommandError) {
    let arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
    execvp(Self.program(program), arguments)
    for argument in arguments { free(argument) }
    throw CommandError(.unavailable, "\(program) is not installed. \(reason)")
  }
}
