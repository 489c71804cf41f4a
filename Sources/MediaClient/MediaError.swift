/// Why the media worker gave no answer; equal by code. `description` holds nothing that came from a photo.
package struct MediaError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// There is no worker to ask, now or at all; the message says what to install or how long to wait.
    case unavailable
    /// Other files kept the worker busy for the whole deadline. Ask again; the file is innocent.
    case busy
    /// This file ended the worker, took too long or brought a nonsensical answer. Remember its content hash and do not
    /// ask again.
    case poison
    /// The file has no thumbnail, for the reason in `problem`. Asking again gives the same answer.
    case refused
    /// A size, descriptor or name that the worker does not take: a mistake of the caller's.
    case invalidRequest
    /// `stop()` was called.
    case stopped
  }

  package let code: Code
  /// What went wrong and what to do about it.
  package let message: String
  /// For `refused`.
  package let problem: MediaProblem?
  /// For `unavailable`, where waiting helps.
  package let retryAfter: Duration?
  /// The kernel's error number behind it, or 0.
  package let cause: Int32
  /// For `poison`: nothing is known but that no answer came in time. The worker may have been held
  /// up, and the file be innocent.
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
