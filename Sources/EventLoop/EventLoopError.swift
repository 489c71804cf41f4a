import Glibc

/// An error of an event loop or worker; equal by code.
package struct EventLoopError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The loop or worker was started before, or has stopped.
    case notRunning
    case queueFull
    /// A failed system call.
    case system
  }

  package let code: Code
  /// The cause and the fix.
  package let message: String
  /// The kernel's errno; 0 if there is none.
  package let cause: Int32

  package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  package var description: String { message }

  package static func notRunning(_ what: String) -> Self {
    Self(code: .notRunning, message: "\(what) is not running.", cause: 0)
  }

  package static func queueFull(limit: Int) -> Self {
    Self(code: .queueFull, message: "\(limit) pieces of work are waiting already; try again later.", cause: 0)
  }

  /// A failed system call, where `what` names the attempt.
  package static func system(_ what: String, _ cause: Int32) -> Self {
    let words = strerror(cause).map { String(cString: $0) } ?? "error \(cause)"
    return Self(code: .system, message: "\(what) failed (\(words)).", cause: cause)
  }
}
