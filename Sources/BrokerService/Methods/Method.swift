import Broker
import Macaroons
import PhotoModel
import Varlink

/// One row of the method table: what it is called, what right it takes, and what carries it out.
/// There is no way to make a row without saying which right.
final class Method: Sendable {
  enum Right: Sendable {
    /// Introspection, introduction and the questions that need no decision (R7).
    case open(@Sendable (IncomingCall, Session) throws(CallFailure) -> Void)
    /// Decided from the attached token and the grant as they are now; the permit goes with every byte of the answer.
    case granted(Grant)
    /// For owners and administrators; each method checks against the library it is about.
    case administration(@Sendable (IncomingCall, AdminSession) throws(CallFailure) -> Void)
    /// Open to everybody on both sockets: `org.varlink.service`.
    case introspection(@Sendable (IncomingCall) throws(CallFailure) -> Void)
  }

  /// What a call takes: what it does, and which of the app's grants decides; nil: as
  /// ``Session/admit(_:level:library:)`` finds it.
  struct Need: Sendable {
    var verbs: Verbs
    var level: AccessLevel?
  }

  /// What a granted method takes: the verbs, a look at the parameters that needs no right, and what carries it out.
  struct Grant: Sendable {
    /// Looks at the parameters only where these say what the call does; a mistake in them is then
    /// told before the right is asked for.
    let need: @Sendable (IncomingCall) throws(CallFailure) -> Need
    /// Run before a person is asked whether the app may call at all, so that nobody is asked for
    /// the sake of a mistaken call.
    let check: @Sendable (IncomingCall) throws(CallFailure) -> Void
    let body: @Sendable (IncomingCall, Admission) throws(CallFailure) -> Void
  }

  let name: String
  /// Reads the parameters of a call of it.
  let decode: @Sendable (Call) throws(VarlinkError) -> any Sendable
  let right: Right
  /// Whether it must be called with `more`.
  let expectsMore: Bool
  /// Whether it does nothing but answer, as its name says.
  let onlyAnswers: Bool

  init<M: VarlinkMethod>(_ method: M.Type, _ right: Right, expectsMore: Bool = false) {
    name = M.name
    decode = { call throws(VarlinkError) in try call.decode(M.Parameters.self) }
    let verb = name.split(separator: ".").last ?? ""
    onlyAnswers = ["Fetch", "Get", "List", "Read", "Count"].contains { verb.hasPrefix($0) }
    self.right = right
    self.expectsMore = expectsMore
  }

  /// A granted method.
  convenience init<M: VarlinkMethod>(
    _ method: M.Type, _ verbs: Verbs, check: @escaping @Sendable (IncomingCall) throws(CallFailure) -> Void,
    expectsMore: Bool = false, _ body: @escaping @Sendable (IncomingCall, Admission) throws(CallFailure) -> Void
  ) {
    self.init(
      method, .granted(Grant(need: { _ in Need(verbs: verbs) }, check: check, body: body)), expectsMore: expectsMore)
  }

  /// A granted method whose parameters say what it does.
  convenience init<M: VarlinkMethod>(
    _ method: M.Type, need: @escaping @Sendable (IncomingCall) throws(CallFailure) -> Need,
    check: @escaping @Sendable (IncomingCall) throws(CallFailure) -> Void,
    _ body: @escaping @Sendable (IncomingCall, Admission) throws(CallFailure) -> Void
  ) {
    self.init(method, .granted(Grant(need: need, check: check, body: body)))
  }
}
