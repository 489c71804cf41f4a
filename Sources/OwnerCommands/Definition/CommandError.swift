import Varlink

/// A command's failure; equal by code.
struct CommandError: Error, Sendable, Equatable {
  /// The program's exit status.
  let code: ExitCode
  /// The cause and the remedy. It may hold unescaped text of the broker; it is escaped when shown.
  let message: String
  /// The broker's error reply; nil for an error of this program.
  let answered: Answered?
  /// The exit status of a program that was run for the caller and reported its error itself; nil
  /// for all other errors.
  let exitStatus: Int32?

  struct Answered: Sendable {
    /// The qualified name.
    let name: String
    let parameters: JSONObject
  }

  init(_ code: ExitCode, _ message: String, answered: Answered? = nil) {
    (self.code, self.message, self.answered, exitStatus) = (code, Self.shortened(message), answered, nil)
  }

  /// Cuts the middle out. A message may quote a megabyte of input; the fault is named at one end.
  private static func shortened(_ message: String) -> String {
    guard message.utf8.count > 4_000, message.count > 1_600 else { return message }
    return "\(message.prefix(800)) ... \(message.suffix(800))"
  }

  /// A program that was run for the caller failed; its status becomes this program's.
  init(exitStatus: Int32) {
    (code, message, answered, self.exitStatus) = (
      .failed, "The command ended with status \(exitStatus).", nil, exitStatus
    )
  }

  static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  static func usage(_ message: String) -> Self { Self(.usage, message) }

  /// A command without one of its options.
  static func nothingToChange(_ options: [CommandOption]) -> Self {
    usage("Nothing to change. Use one of: \(options.map(\.typed).joined(separator: ", ")).")
  }

  /// The JSON document for `--json`: the broker's fields and the exit code.
  var document: JSONObject {
    var document: JSONObject = ["error": .string(answered?.name ?? code.word)]
    for entry in answered?.parameters.entries ?? [] where entry.key != "error" { document[entry.key] = entry.value }
    if document["message"] == nil { document["message"] = .string(message) }
    document["exitCode"] = .integer(Int64(code.rawValue))
    return document
  }
}
