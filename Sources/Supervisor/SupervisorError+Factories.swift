import CLinux
import Glibc

extension SupervisorError {
  static func startFailed(stage: Int32, cause: Int32) -> Self {
    let what =
      switch Int(stage) {
      case Int(CLINUX_SPAWN_FORK.rawValue): "making a process. Raise the limit of processes or memory"
      case Int(CLINUX_SPAWN_NAMESPACES.rawValue):
        "making namespaces of its own, of which there are too many now. Raise the limits of processes, memory, "
          + "user.max_user_namespaces and user.max_pid_namespaces"
      case Int(CLINUX_SPAWN_DESCRIPTORS.rawValue): "passing descriptors. Raise the limit of open files"
      case Int(CLINUX_SPAWN_SESSION.rawValue): "making a session"
      case Int(CLINUX_SPAWN_LIMIT.rawValue): "setting a limit. It is above what this process may set"
      case Int(CLINUX_SPAWN_USER.rawValue): "changing the user. Only root can"
      case Int(CLINUX_SPAWN_PRIVILEGES.rawValue): "giving up privileges"
      case Int(CLINUX_SPAWN_PARENT.rawValue): "tying it to its parent"
      case Int(CLINUX_SPAWN_CONFINE.rawValue): "confining it. The kernel must offer seccomp filters"
      case Int(CLINUX_SPAWN_DIRECTORY.rawValue):
        "entering its directory. It must exist and be readable to the child's user"
      default:
        cause == ETIMEDOUT
          ? "executing the program, which did not begin in time. Check the load and the disks, then try again"
          : "executing the program. It must exist and be executable by the child's user"
      }
    return .init(.startFailed, "The child could not be started: failed at \(what).", cause: cause)
  }
  static func startFailed(_ what: String, cause: Int32) -> Self {
    .init(.startFailed, "The child could not be started: failed at \(what).", cause: cause)
  }
  static func notPrepared(_ underlying: any Error) -> Self {
    .init(.startFailed, "The child was not started, because its file is not the expected one.", underlying: underlying)
  }
  static func unavailable(after reason: String, retryAfter: Duration) -> Self {
    .init(.unavailable, "The child is not available (\(reason)). Try again later.", retryAfter: retryAfter)
  }
  static var busy: Self {
    .init(.deadlineExceeded, "The child was busy with other calls until the timeout. Try again, or allow more time.")
  }
  static var deadlineExceeded: Self {
    .init(.deadlineExceeded, "The child did not answer in time and was killed. It starts again at the next call.")
  }
  static func childExited(_ status: ChildExit, _ underlying: (any Error)?) -> Self {
    .init(.childExited, "The child \(status). It starts again at the next call.", underlying: underlying, ended: status)
  }
  static func protocolViolation(_ underlying: any Error) -> Self {
    .init(
      .protocolViolation, "The child's answer was refused and the child killed. It starts again at the next call.",
      underlying: underlying)
  }
  static var abandoned: Self {
    .init(.abandoned, "The call was cancelled. The child starts again at the next call.")
  }
  static var stopped: Self { .init(.stopped, "The supervisor was stopped and starts nothing.") }
}
