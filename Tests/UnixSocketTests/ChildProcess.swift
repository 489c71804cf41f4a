import Glibc

/// A shell command as a child process, with a pipe as standard input; killed at the end.
final class ChildProcess {
  let pid: pid_t

  init(_ arguments: [String], environment: [String] = []) throws {
    var child = pid_t()
    var argv = arguments.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var envp = (environment + ["PATH=/usr/bin:/bin"]).map { strdup($0) } + [nil]
    defer { for entry in envp { free(entry) } }
    let result = posix_spawnp(&child, arguments[0], nil, nil, &argv, &envp)
    guard result == 0 else { throw ChildFailure(code: result) }
    pid = child
  }

  /// Kills and reaps it.
  func end() {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }
}

struct ChildFailure: Error { let code: Int32 }
