import Glibc

/// Runs another program to its end. It inherits the standard descriptors.
enum ChildProcess {
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
    var complaints: [Int32] = [-1, -1]
    if keepsComplaints {
      guard pipe(&complaints) == 0 else { throw .file(name, errno) }
    }
    defer { if complaints[0] >= 0 { close(complaints[0]) } }
    let (child, cause) = start(command) { actions, _ in
      if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
      if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
      if isQuiet { posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) }
      if keepsComplaints {
        posix_spawn_file_actions_adddup2(&actions, complaints[1], STDERR_FILENO)
        for end in complaints { posix_spawn_file_actions_addclose(&actions, end) }
      }
    }
    if complaints[1] >= 0 { close(complaints[1]) }
    guard cause == 0 else {
      let remedy =
        switch name {
        case "setfacl", "getfacl": " Install the package acl, or let the broker's user read the folder in another way."
        case "xdg-open": " Install the package xdg-utils, or open the link that photobroker open --print prints."
        default: ""
        }
      throw CommandError(.unavailable, "\(name) cannot be run.\(remedy)")
    }
    let said = complaints[0] >= 0 ? text(of: complaints[0]) : ""
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    // A normal exit has its code in the second byte.
    guard status == 0 else {
      let words = said.isEmpty ? "." : ": \(said)"
      throw CommandError(
        .failed, "\(command.joined(separator: " ")) failed with status \(status >> 8 & 0xFF)\(words) \(advice)")
    }
  }

  /// Starts a program, found by `PATH`.
  ///
  /// - Parameter prepare: sets its descriptors and signals, if they are not this process's.
  /// - Returns: its number, and 0 or the errno of the failure.
  static func start(
    _ command: [String], _ prepare: (inout posix_spawn_file_actions_t, inout posix_spawnattr_t) -> Void
  ) -> (pid: pid_t, cause: Int32) {
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    prepare(&actions, &attributes)
    var child = pid_t()
    let cause = posix_spawnp(&child, command.first ?? "", &actions, &attributes, &words, environ)
    return (child, cause)
  }

  /// Reads a pipe to its end and keeps the first 4,096 bytes.
  private static func text(of pipe: Int32) -> String {
    var (kept, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
    while true {
      let count = read(pipe, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      kept += piece[..<count].prefix(4_096 - kept.count)
    }
    return String(decoding: kept, as: UTF8.self).split(separator: "\n").joined(separator: " ")
  }
}
