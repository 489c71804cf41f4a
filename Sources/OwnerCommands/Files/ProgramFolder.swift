import Glibc

/// The folder of this program and its sister programs.
enum ProgramFolder {
  static func path() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/usr/bin"
  }

  /// The path of a program in this program's folder, else its name, for a search in PATH.
  static func program(_ name: String) -> String {
    let beside = path() + "/" + name
    return access(beside, X_OK) == 0 ? beside : name
  }

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
