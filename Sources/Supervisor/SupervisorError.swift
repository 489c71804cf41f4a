/// A failure to start a child process or to get its answer; equal by code.
///
/// `description` holds no path, argument or output of the child.
package struct SupervisorError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The program could not be started; the message names the stage.
    case startFailed
    /// The child fails repeatedly and is not started until `retryAfter`.
    case unavailable
    /// The child did not answer in time and was killed, or another call kept it busy.
    case deadlineExceeded
    /// The child ended during the call.
    case childExited
    /// The call's body threw: the child violated the protocol and was killed.
    case protocolViolation
    /// The call's body threw `CallAbandoned`: the child was killed during the call.
    case abandoned
    /// `stop()` was called.
    case stopped
  }

  package let code: Code
  /// The cause and the remedy.
  package let message: String
  /// The kernel's error number, or 0.
  package let cause: Int32
  /// The body's error, for the caller alone: it may contain data from the child.
  package let underlying: (any Error)?
  /// For `unavailable`: the time until a retry makes sense.
  package let retryAfter: Duration?

  /// For `childExited`: the way it ended.
  package let ended: ChildExit?

  init(
    _ code: Code, _ message: String, cause: Int32 = 0, underlying: (any Error)? = nil, retryAfter: Duration? = nil,
    ended: ChildExit? = nil
  ) {
    self.code = code
    self.ended = ended
    self.message = message
    self.cause = cause
    self.underlying = underlying
    self.retryAfter = retryAfter
  }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }

  package var description: String {
    cause == 0 ? "supervisor(\(code.rawValue)): \(message)" : "supervisor(\(code.rawValue), errno \(cause)): \(message)"
  }
}
