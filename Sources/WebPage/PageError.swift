/// An error of the page's server or of its connection to the broker.
package struct PageError: Error, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The broker is unreachable; the call did not reach it.
    case unavailable
    /// The broker disconnected before its reply, so the outcome is unknown.
    case lost
    /// The broker's reply is malformed.
    case badReply
    /// The page's request is invalid.
    case badRequest
    /// The path that the page names does not exist.
    case notFound
    /// The path that the page names is closed to its user.
    case closed
    /// The file that the page names cannot be used.
    case refused
    /// The browser disconnected.
    case abandoned
    /// The port is not available.
    case noPort
  }

  package let code: Code
  /// The cause and the remedy.
  package let message: String

  package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  package var description: String { message }

  package static func == (a: Self, b: Self) -> Bool { a.code == b.code }
}
