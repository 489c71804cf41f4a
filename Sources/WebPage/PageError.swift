/// Why the page cannot be served, or the broker did not answer it.
package struct PageError: Error, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The broker is not there: nothing of what was asked reached it.
    case unavailable
    /// The broker went away before its answer came: nobody knows whether it did what was asked.
    case lost
    /// The broker answered what cannot be understood.
    case badReply
    /// The request of the page makes no sense.
    case badRequest
    /// The browser has hung up: nobody waits for the answer.
    case abandoned
    /// The port cannot be listened on.
    case noPort
  }

  package let code: Code
  /// What went wrong and what to do about it.
  package let message: String

  package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  package var description: String { message }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }
}
