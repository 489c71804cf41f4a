import Accounts
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
    for (name, value) in environment { setenv(name, value, 1) }
    do throws(Subprocess.NotStarted) {
      pid = try Subprocess.start(command) { actions, attributes in
        var none = sigset_t()
        sigemptyset(&none)
        var usual = none
        sigaddset(&usual, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        if let log {
          posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
          posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO)
          posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
        }
      }
    } catch {
      throw CommandError(
        .unavailable, "\(command.first ?? "") cannot be run: \(String(cString: strerror(error.cause))).")
    }
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
