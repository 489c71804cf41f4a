import Glibc

/// A child process of a sandbox. It has no blocked signals, unlike the sandbox, which waits for
/// some.
struct SandboxChild {
  private let pid: pid_t

  /// - Parameters:
  ///   - environment: additions to this program's environment.
  ///   - log: its standard output and error; nil: inherited.
  /// - Throws: `unavailable`.
  init(_ command: [String], environment: [String: String] = [:], log: Int32? = nil) throws(CommandError) {
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    for (name, value) in environment { setenv(name, value, 1) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let log {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
    }
    var child = pid_t()
    let result = posix_spawnp(&child, command.first ?? "", &actions, &attributes, words, environ)
    guard result == 0 else {
      let reason = strerror(result).map { String(cString: $0) } ?? "error \(result)"
      throw CommandError(.unavailable, "\(command.first ?? "") cannot be run: \(reason).")
    }
    pid = child
  }

  /// The exit status in a shell's numbers; nil while it runs, and nil for calls after the first
  /// that returned one.
  func end() -> Int32? {
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// Sends SIGTERM, and after five seconds SIGKILL.
  func stop() {
    kill(pid, SIGTERM)
    for _ in 0..<500 {
      var status: Int32 = 0
      let result = waitpid(pid, &status, WNOHANG)
      if result == pid || result < 0 { return }
      usleep(10_000)
    }
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }
}
