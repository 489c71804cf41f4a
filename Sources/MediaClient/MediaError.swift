/// A failure of the worker to answer; equal by code. `description` contains nothing from a photo.
package struct MediaError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// No worker is available, now or at all; the message names the packages to install or the time
    /// to wait.
    case unavailable
    /// Other files kept the worker busy until the deadline. Retry; the file is innocent.
    case busy
    /// This file ended the worker, took too long, or caused a malformed answer. Remember its
    /// content hash and do not retry.
    case poison
    /// The file has no thumbnail, for the reason in `problem`. A retry gives the same answer.
    case refused
    /// The caller's mistake: a size, descriptor or name outside the protocol.
    case invalidRequest
    /// `stop()` was called.
    case stopped
  }

  package let code: Code
  /// The cause and the remedy.
  package let message: String
  /// For `refused`.
  package let problem: MediaProblem?
  /// For `unavailable`, if waiting helps.
  package let retryAfter: Duration?
  /// The kernel's error number, or 0.
  package let cause: Int32
  /// For `poison`: no answer came in time, and nothing else is known. The worker may have been
  /// delayed, and the file may be innocent.
  package let isLate: Bool

  init(
    _ code: Code, _ message: String, problem: MediaProblem? = nil, retryAfter: Duration? = nil, cause: Int32 = 0,
    isLate: Bool = false
  ) {
    self.code = code
    self.message = message
    self.problem = problem
    self.retryAfter = retryAfter
    self.cause = cause
    self.isLate = isLate
  }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }

  package var description: String {
    cause == 0 ? "media(\(code.rawValue)): \(message)" : "media(\(code.rawValue), errno \(cause)): \(message)"
  }
}
