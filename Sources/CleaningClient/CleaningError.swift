/// A failure to ask the worker, of which the file is not the cause; equal by code.
package struct CleaningError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The worker is not installed or does not run.
    case unavailable
    /// Other files kept the worker busy until the deadline.
    case busy
    /// `stop()` was called.
    case stopped
  }

  package let code: Code
  /// The cause and the remedy.
  package let message: String
  /// The kernel's error number, or 0.
  package let cause: Int32

  init(_ code: Code, _ message: String, cause: Int32 = 0) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }

  package var description: String { "cleaning(\(code.rawValue)): \(message)" }
}
