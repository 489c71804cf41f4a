import Broker
import Macaroons
import Varlink

/// All methods of one socket. Every call is authorized here and nowhere else.
struct MethodTable: Sendable {
  let methods: [Method]
  private let byName: [String: Method]
  let interfaces: [(name: String, text: String)]

  init(_ methods: [Method], interfaces: [(name: String, text: String)]) {
    self.methods = methods
    byName = Dictionary(methods.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.interfaces = interfaces
  }

  func serves(_ name: String) -> Bool { byName[name] != nil }

  /// Decodes the parameters of a call, on any thread; nil for an unknown method.
  func decodeParameters(of call: Call) -> Result<any Sendable, VarlinkError>? {
    guard let method = byName[call.method] else { return nil }
    return Result { () throws(VarlinkError) in try method.decode(call) }
  }

  /// Serves one call. It checks the method, the caller and the right, then the parameters. But a
  /// prompt opens only after the parameters were checked.
  func serve(_ call: IncomingCall) {
    defer { call.didReturn() }
    guard let method = byName[call.call.method] else { return call.fail(unknown(call.call)) }
    // The client has disconnected.
    if method.onlyAnswers, call.connection.isLeft { return call.fail(.accessEnded) }
    if method.expectsMore, !call.call.more { return call.fail(ServiceError.expectedMore) }
    do throws(CallFailure) {
      switch (method.right, call.connection.role) {
      case (.introspection(let body), _): try body(call)
      case (.open(let body), .app(let session)): try body(call, session)
      case (.granted(let grant), .app(let session)): authorize(call, session, grant, try grant.need(call))
      case (.administration(let body), .administration(let session)): try body(call, session)
      case (.open, .administration), (.granted, .administration), (.administration, .app): call.fail(unknown(call.call))
      }
    } catch {
      call.fail(error)
    }
  }

  /// Authorizes a call on a library. If nobody has decided yet, a prompt opens and the call waits
  /// (R19); other connections do not.
  private func authorize(_ call: IncomingCall, _ session: Session, _ grant: Method.Grant, _ need: Method.Need) {
    do throws(BrokerError) {
      let authorized = try AuthorizedCall(session.authorize(need.verbs, level: need.level))
      guard authorized.permit.isCounted else {
        return call.attempt { () throws(CallFailure) in try run(grant, call, authorized) }
      }
      do throws(CallFailure) { try grant.check(call) } catch { return call.fail(error) }
      call.core.broker.budgets.spend(1, .uses, under: authorized.permit) { result in
        call.resume { () throws(CallFailure) in
          try decide(result.get())
          try run(grant, call, decide(authorized.renewed()))
        }
      }
    } catch {
      guard case .promptNeeded(let key) = error.code else { return call.fail(error) }
      do throws(CallFailure) { try grant.check(call) } catch { return call.fail(error) }
      session.requestAuthorization(level: key.level, library: key.library, wait: true) { result in
        guard !call.isClosed else { return }
        result.orFail(call) { _ in
          do throws(BrokerError) {
            let authorized = try AuthorizedCall(session.authorize(need.verbs, level: need.level))
            call.attempt { () throws(CallFailure) in try run(grant, call, authorized) }
          } catch { call.fail(error) }
        }
      }
    }
  }

  /// After a start, the photos of a token's album are unknown until the album policy has answered.
  private func run(_ grant: Method.Grant, _ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    if authorized.attenuation?.isOfAlbums == true, authorized.grant.albumBasis == nil,
      authorized.waitsForAlbums(call, then: grant.body)
    {
      return
    }
    try grant.body(call, authorized)
  }

  private func unknown(_ call: Call) -> ServiceError {
    interfaces.contains { $0.name == call.interface }
      ? .methodNotFound(method: call.method) : .interfaceNotFound(interface: String(call.interface))
  }
}
