import Glibc

extension UnixSocketError {
  /// The process that connected has ended.
  package static func peerGone(_ cause: Int32 = 0) -> Self {
    Self(code: .peerGone, message: "The process that opened this connection has ended.", cause: cause)
  }

  /// The kernel could not say who connected.
  package static func peerUnidentified(_ what: String, _ cause: Int32 = 0) -> Self {
    Self(code: .peerUnidentified, message: "The peer cannot be identified: \(what)\(reason(cause)).", cause: cause)
  }

  /// Another process answers on the socket.
  package static func addressInUse() -> Self {
    Self(
      code: .addressInUse, message: "Another process already serves this socket; stop it or use another path.",
      cause: EADDRINUSE)
  }

  /// Something that is no socket is where one should be made.
  package static func pathOccupied(_ path: String) -> Self {
    Self(
      code: .addressInUse,
      message: "Another kind of file is at \(path), where the socket should be; move it away or use another path.",
      cause: EADDRINUSE)
  }

  /// The path is longer than a socket address holds.
  package static func pathTooLong() -> Self {
    Self(
      code: .pathTooLong,
      message: "A socket path has at least one and at most 107 bytes and no NUL; use a shorter one.",
      cause: ENAMETOOLONG)
  }

  /// Nobody serves the socket.
  package static func notServed(_ cause: Int32) -> Self {
    Self(
      code: .notServed, message: "Nobody serves this socket\(reason(cause)); start the daemon, or check the path.",
      cause: cause)
  }

  /// Another daemon holds the lock on the state; `holder` is its process number where the lock file tells it.
  package static func stateLocked(holder: Int32?) -> Self {
    let who = holder.map { "process \($0)" } ?? "another process"
    return Self(
      code: .stateLocked,
      message: "This state is already in use by \(who); stop it first, or use another state folder.", cause: EWOULDBLOCK
    )
  }

  /// An inherited descriptor is not what was expected.
  package static func unsuitableSocket(_ what: String) -> Self {
    Self(code: .unsuitableSocket, message: what, cause: 0)
  }

  /// The deadline has passed.
  package static func timedOut() -> Self {
    Self(code: .timedOut, message: "The other end did not answer in time.", cause: ETIMEDOUT)
  }

  /// The other end closed the connection.
  package static func closed(_ cause: Int32 = 0) -> Self {
    Self(code: .closed, message: "The other end closed the connection.", cause: cause)
  }

  /// The other end takes no descriptors (EPERM), or too many are on their way (ETOOMANYREFS).
  package static func descriptorsRefused(_ cause: Int32) -> Self {
    Self(code: .descriptorsRefused, message: "The other end cannot take descriptors now\(reason(cause)).", cause: cause)
  }

  /// The other end sent descriptors where none are allowed.
  package static func descriptorsUnexpected() -> Self {
    Self(
      code: .descriptorsUnexpected, message: "The other end sent descriptors where none are allowed; they were closed.",
      cause: 0)
  }

  /// A message exceeds `limitBytes`.
  package static func messageTooLarge(limitBytes: Int) -> Self {
    Self(code: .messageTooLarge, message: "A message is larger than \(limitBytes) bytes.", cause: 0)
  }

  /// What the kernel refused while doing `what`; the running out of descriptors has its own code.
  package static func system(_ what: String, _ cause: Int32) -> Self {
    let exhausted = cause == EMFILE || cause == ENFILE
    return Self(
      code: exhausted ? .descriptorsExhausted : .system, message: "\(what) failed\(reason(cause)).", cause: cause)
  }

  /// The system's words for an errno, as an addition to a sentence; empty for 0.
  private static func reason(_ cause: Int32) -> String {
    guard cause != 0, let words = strerror(cause) else { return "" }
    return " (\(String(cString: words)))"
  }
}
