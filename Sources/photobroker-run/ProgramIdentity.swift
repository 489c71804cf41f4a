import Foundation
import PhotoBroker

/// The app identity of a command line: the name shown to people, and the identifier of its grant.
///
/// Programs of one name in two places are two apps, and so are two scripts of one interpreter
/// (R138). The identity is a claim, like any manifest: the broker verifies only the user.
struct ProgramIdentity: Equatable {
  var name: String
  /// Letters, digits, dots, hyphens and underscores, at most 128.
  var identifier: String

  private static let interpreters: Set<String> = [
    "bash", "bun", "dash", "deno", "env", "fish", "java", "julia", "ksh", "lua", "node", "perl", "php", "python", "R",
    "Rscript", "ruby",
    "sh", "tclsh", "zsh",
  ]

  /// - Parameters:
  ///   - isFile: Whether a path leads to a file.
  ///   - search: The folders in which programs are found.
  /// - Returns: Nil for an interpreter without a script: it needs a name and an identifier.
  init?(of command: [String], name: String?, identifier: String?, search: [String], isFile: (String) -> Bool) {
    guard let program = command.first else { return nil }
    var path = program
    if !program.contains("/") { path = search.map { "\($0)/\(program)" }.first(where: isFile) ?? program }
    if Self.isInterpreter(program) {
      if let script = command.dropFirst().first(where: isFile) {
        path = script
      } else if name == nil && identifier == nil {
        return nil
      }
    }
    path = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    self.name = name ?? URL(fileURLWithPath: path).lastPathComponent
    self.identifier = identifier ?? AppManifest.identifier(in: "io.photobroker.run", name: self.name, key: path)
  }

  /// Versioned names count, such as `python3.11`.
  private static func isInterpreter(_ program: String) -> Bool {
    let name = URL(fileURLWithPath: program).lastPathComponent
    let stem = name.prefix { !$0.isNumber && $0 != "." && $0 != "-" }
    return interpreters.contains(name) || interpreters.contains(String(stem))
  }
}
