/// Why a child process could not be started or did not answer; equal by code.
///
/// `description` holds no path, argument or output of the child.
package struct SupervisorError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The program could not be started; `stage` says how far it came.
    case startFailed
    /// The child fails again and again and is left alone for a while: `retryAfter`.
    case unavailable
    /// The child did not answer in time and was killed, or it was busy with another call for so long.
    case deadlineExceeded
    /// The child ended during the call.
    case childExited
    /// The call's body threw: the child spoke nonsense and was killed.
    case protocolViolation
    /// The call's body threw `CallAbandoned`: the child was ended in the middle of it.
    case abandoned
    /// `stop()` was called.
    case stopped
  }

  package let code: Code
  /// What went wrong and what to do about it.
  package let message: String
  /// The kernel's error number behind it, or 0.
  package let cause: Int32
  /// What the body of the call threw, for the caller alone: it may hold what the child sent.
  package let underlying: (any Error)?
  /// For `unavailable`: when it is worth asking again.
  package let retryAfter: Duration?

  /// For `childExited`: how.
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
