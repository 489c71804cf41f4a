import Broker
import Macaroons
import PhotoModel

/// One row of the method table: what it is called, what right it takes, and what carries it out. There is no way to make a
/// row without saying which right.
struct Method: Sendable {
  enum Right: Sendable {
    /// Introspection, introduction and the questions that need no decision (R7).
    case open(@Sendable (IncomingCall, Session) throws(CallFailure) -> Void)
    /// Decided from the attached token and the grant as they are now; the permit goes with every byte of the answer.
    case granted(Verbs, @Sendable (IncomingCall, Admission) throws(CallFailure) -> Void)
    /// For owners and administrators; each method checks against the library it is about.
    case administration(@Sendable (IncomingCall, AdminSession) throws(CallFailure) -> Void)
    /// Open to everybody on both sockets: `org.varlink.service`.
    case introspection(@Sendable (IncomingCall) throws(CallFailure) -> Void)
  }

  let name: String
  let right: Right
  /// Whether it must be called with `more`.
  let expectsMore: Bool

  init(_ name: String, _ right: Right, expectsMore: Bool = false) {
    self.name = name
    self.right = right
    self.expectsMore = expectsMore
  }
}
