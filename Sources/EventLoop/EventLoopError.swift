import Glibc

/// What went wrong with an event loop; equal by code.
package struct EventLoopError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is.
  package enum Code: Sendable, Equatable {
    /// The loop, or the worker, has been started before or has stopped.
    case notRunning
    /// The worker's queue is full.
    case queueFull
    /// Anything that the kernel refused.
    case system
  }

  package let code: Code
  /// What went wrong and what to do about it.
  package let message: String
  /// The kernel's errno, 0 where none caused it.
  package let cause: Int32

  package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  package var description: String { message }

  /// The loop or worker does not run.
  package static func notRunning(_ what: String) -> Self {
    Self(code: .notRunning, message: "\(what) is not running.", cause: 0)
  }

  /// A worker has `limit` pieces of work waiting.
  package static func queueFull(limit: Int) -> Self {
    Self(code: .queueFull, message: "\(limit) pieces of work are waiting already; try again later.", cause: 0)
  }

  /// What the kernel refused while doing `what`.
  package static func system(_ what: String, _ cause: Int32) -> Self {
    let words = strerror(cause).map { String(cString: $0) } ?? "error \(cause)"
    return Self(code: .system, message: "\(what) failed (\(words)).", cause: cause)
  }
}
