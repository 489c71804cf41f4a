import Varlink

/// Why a command did not do what it should; equal by code.
struct CommandError: Error, Sendable, Equatable {
  /// How the program ends.
  let code: ExitCode
  /// What went wrong and what to do about it. May hold words of the broker: escaped where it is shown.
  let message: String
  /// The broker's error as it arrived; nil for an error of ours.
  let answered: Answered?
  /// The status of a program that was run for the caller, who has heard of it already; nil for every other error.
  let exitStatus: Int32?

  /// An error that the broker answered with.
  struct Answered: Sendable {
    /// Its qualified name.
    let name: String
    /// Its parameters.
    let parameters: JSONObject
  }

  init(_ code: ExitCode, _ message: String, answered: Answered? = nil) {
    (self.code, self.message, self.answered, exitStatus) = (code, Self.shortened(message), answered, nil)
  }

  /// A message repeats what was typed or what a file holds, which can be a megabyte; what is wrong
  /// with it stands at an end.
  private static func shortened(_ message: String) -> String {
    guard message.utf8.count > 4_000, message.count > 1_600 else { return message }
    return "\(message.prefix(800)) ... \(message.suffix(800))"
  }

  /// A program that was run for the caller ended with this status, which becomes this program's.
  init(exitStatus: Int32) {
    (code, message, answered, self.exitStatus) = (
      .failed, "The command ended with status \(exitStatus).", nil, exitStatus
    )
  }

  static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  static func usage(_ message: String) -> Self { Self(.usage, message) }

  /// As a JSON document: the broker's own fields, and how the program ends.
  var document: JSONObject {
    var document: JSONObject = ["error": .string(answered?.name ?? code.word)]
    for entry in answered?.parameters.entries ?? [] where entry.key != "error" { document[entry.key] = entry.value }
    if document["message"] == nil { document["message"] = .string(message) }
    document["exitCode"] = .integer(Int64(code.rawValue))
    return document
  }
}
