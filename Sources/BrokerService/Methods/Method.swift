import Broker
import Macaroons
import PhotoModel
import Varlink

/// Lists rows one below the other.
@resultBuilder enum MethodRows {
  static func buildBlock(_ methods: Method...) -> [Method] { methods }
}

/// One row of the method table: name, required right and handler. A row without a right does not
/// compile. The handlers run on the loop's thread, ``decode`` on any.
final class Method: @unchecked Sendable {
  enum Right {
    /// Introspection, introduction and calls that need no decision (R7).
    case open((IncomingCall, Session) throws(CallFailure) -> Void)
    /// Decided from the attached token and the present grant. The permit goes with every byte of
    /// the answer.
    case granted(Grant)
    /// For owners and administrators. Each handler checks its library itself.
    case administration((IncomingCall, AdminSession) throws(CallFailure) -> Void)
    /// Open to everybody on both sockets: `org.varlink.service`.
    case introspection((IncomingCall) throws(CallFailure) -> Void)
  }

  /// The verbs that a call needs, and the access level whose grant decides. Nil: the level that
  /// ``Session/authorize(_:level:library:)`` finds.
  struct Need {
    var verbs: Verbs
    var level: AccessLevel?
  }

  /// A granted method: its required verbs, a check of the parameters that needs no right, and its
  /// handler.
  struct Grant {
    /// Reads the parameters only if the verbs depend on them. An error in them is then answered
    /// before the authorization.
    let need: (IncomingCall) throws(CallFailure) -> Need
    /// Runs before a prompt opens, so that no person is asked because of a malformed call.
    let check: (IncomingCall) throws(CallFailure) -> Void
    let body: (IncomingCall, AuthorizedCall) throws(CallFailure) -> Void
  }

  let name: String
  let decode: @Sendable (Call) throws(VarlinkError) -> any Sendable
  let right: Right
  /// Whether it must be called with `more`.
  let expectsMore: Bool
  /// Whether it only reads, by the prefix of its name.
  let onlyAnswers: Bool

  init<M: VarlinkMethod>(_ method: M.Type, _ right: Right, expectsMore: Bool = false) {
    name = M.name
    decode = { call throws(VarlinkError) in try call.decode(M.Parameters.self) }
    let verb = name.split(separator: ".").last ?? ""
    onlyAnswers = ["Fetch", "Get", "List", "Read", "Count"].contains { verb.hasPrefix($0) }
    self.right = right
    self.expectsMore = expectsMore
  }

  /// - Parameter check: Checks the parameters before a prompt opens.
  convenience init<M: VarlinkMethod>(
    _ method: M.Type, _ verbs: Verbs,
    check: @escaping (M.Parameters, IncomingCall) throws(CallFailure) -> Void = { _, _ in },
    expectsMore: Bool = false, _ body: @escaping (IncomingCall, AuthorizedCall) throws(CallFailure) -> Void
  ) {
    let checked = { (call: IncomingCall) throws(CallFailure) in try check(call.parameters(), call) }
    self.init(
      method, .granted(Grant(need: { _ in Need(verbs: verbs) }, check: checked, body: body)), expectsMore: expectsMore)
  }

  /// A granted method whose verbs depend on its parameters.
  convenience init<M: VarlinkMethod>(
    _ method: M.Type, need: @escaping (IncomingCall) throws(CallFailure) -> Need,
    check: @escaping (IncomingCall) throws(CallFailure) -> Void,
    _ body: @escaping (IncomingCall, AuthorizedCall) throws(CallFailure) -> Void
  ) {
    self.init(method, .granted(Grant(need: need, check: check, body: body)))
  }
}
