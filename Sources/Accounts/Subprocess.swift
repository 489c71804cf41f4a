package import Glibc

/// Other programs that this one starts, with its environment.
package enum Subprocess {
  /// The end of a program: its `wait` status and, if captured, the last 16 KiB of its error output.
  package struct Ending {
    package let status: Int32
    package let errorLines: [Substring]
  }

  /// A program that could not be started, by the errno of the attempt.
  package struct NotStarted: Error { package let cause: Int32 }

  /// Starts a program, found by `PATH`.
  ///
  /// - Parameter prepare: sets its descriptors and signals, if they are not this process's.
  /// - Returns: its process identifier.
  package static func start(
    _ command: [String], _ prepare: (inout posix_spawn_file_actions_t, inout posix_spawnattr_t) -> Void
  ) throws(NotStarted) -> pid_t {
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
    guard cause == 0 else { throw NotStarted(cause: cause) }
    return child
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - capturesErrors: whether its error output is returned. Only for programs that leave no
  ///     process behind.
  ///   - prepare: sets its other descriptors, if they are not this process's.
  package static func run(
    _ command: [String], capturesErrors: Bool, _ prepare: (inout posix_spawn_file_actions_t) -> Void
  ) throws(NotStarted) -> Ending {
    var pipe: [Int32] = [-1, -1]
    if capturesErrors {
      guard Glibc.pipe(&pipe) == 0 else { throw NotStarted(cause: errno) }
      for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    defer { if capturesErrors { close(pipe[0]) } }
    let child: pid_t
    do {
      defer { if capturesErrors { close(pipe[1]) } }
      child = try start(command) { actions, _ in
        prepare(&actions)
        if capturesErrors { posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO) }
      }
    }
    let said = capturesErrors ? end(of: pipe[0]) : ""
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return Ending(status: status, errorLines: said.split(separator: "\n"))
  }

  /// Reads a pipe to its end and keeps the last 16 KiB.
  private static func end(of pipe: Int32) -> String {
    var (kept, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
    while true {
      let count = read(pipe, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: kept, as: UTF8.self) }
      kept = (kept + piece[..<count]).suffix(16_384)
    }
  }
}
