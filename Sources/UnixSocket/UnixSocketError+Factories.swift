import Glibc

extension UnixSocketError {
  package static func peerGone(_ cause: Int32 = 0) -> Self {
    Self(code: .peerGone, message: "The process that opened this connection has ended.", cause: cause)
  }

  package static func peerUnidentified(_ what: String, _ cause: Int32 = 0) -> Self {
    Self(code: .peerUnidentified, message: "The peer cannot be identified: \(what)\(reason(cause)).", cause: cause)
  }

  package static func addressInUse() -> Self {
    Self(
      code: .addressInUse, message: "Another process already serves this socket; stop it or use another path.",
      cause: EADDRINUSE)
  }

  /// A file of another type is at the socket's path.
  package static func pathOccupied(_ path: String) -> Self {
    Self(
      code: .addressInUse,
      message: "Another kind of file is at \(path), where the socket should be; move it away or use another path.",
      cause: EADDRINUSE)
  }

  package static func pathTooLong() -> Self {
    Self(
      code: .pathTooLong,
      message: "A socket path has at least one and at most 107 bytes and no NUL; use a shorter one.",
      cause: ENAMETOOLONG)
  }

  package static func notServed(_ cause: Int32) -> Self {
    Self(
      code: .notServed, message: "Nobody serves this socket\(reason(cause)); start the daemon, or check the path.",
      cause: cause)
  }

  /// An inherited descriptor is not the expected socket.
  package static func unsuitableSocket(_ what: String) -> Self {
    Self(code: .unsuitableSocket, message: what, cause: 0)
  }

  package static func timedOut() -> Self {
    Self(code: .timedOut, message: "The other end did not answer in time.", cause: ETIMEDOUT)
  }

  package static func closed(_ cause: Int32 = 0) -> Self {
    Self(code: .closed, message: "The other end closed the connection.", cause: cause)
  }

  /// The peer takes no descriptors (EPERM), or too many are unreceived (ETOOMANYREFS).
  package static func descriptorsRefused(_ cause: Int32) -> Self {
    Self(code: .descriptorsRefused, message: "The other end cannot take descriptors now\(reason(cause)).", cause: cause)
  }

  package static func descriptorsUnexpected() -> Self {
    Self(
      code: .descriptorsUnexpected, message: "The other end sent descriptors where none are allowed; they were closed.",
      cause: 0)
  }

  package static func messageTooLarge(limitBytes: Int) -> Self {
    Self(code: .messageTooLarge, message: "A message is larger than \(limitBytes) bytes.", cause: 0)
  }

  /// A failed system call, where `what` names the attempt. Exhausted descriptors have their own
  /// code.
  package static func system(_ what: String, _ cause: Int32) -> Self {
    let exhausted = cause == EMFILE || cause == ENFILE
    return Self(
      code: exhausted ? .descriptorsExhausted : .system, message: "\(what) failed\(reason(cause)).", cause: cause)
  }

  /// The system's text for an errno, to append to a sentence; empty for 0.
  private static func reason(_ cause: Int32) -> String {
    guard cause != 0, let words = strerror(cause) else { return "" }
    return " (\(String(cString: words)))"
  }
}
