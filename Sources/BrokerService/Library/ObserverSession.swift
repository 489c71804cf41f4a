import Broker
import BrokerInterface
import PhotoModel
import Varlink

/// One observer of a library. It gets the next event after its connection took the previous one, so
/// a slow reader delays nobody and still gets the final state.
///
/// It ends only with its access, or outlives that (R159). Changes that the app cannot see never end
/// it, because that would reveal them.
final class ObserverSession: Subscription {
  private let call: IncomingCall
  private var authorized: AuthorizedCall
  private var observer: ChangeObserver?
  private var isScheduled = false
  private var isOver = false
  /// Whether it waits for access that is gone, instead of ending.
  private let outlivesAccess: Bool
  /// Whether the app was told that its access is gone. It is told nothing until that is back.
  private var isAway = false
  private var closing: UInt64?

  static func start(
    since token: String?, outlivesAccess: Bool, call: IncomingCall, authorized: AuthorizedCall
  ) throws(CallFailure) {
    let session = ObserverSession(call, authorized, outlivesAccess)
    try call.core.open.begin(authorized.app)
    do throws(CallFailure) {
      // The library keeps the session alive through this closure, until it stops observing.
      let (observer, first) = try decide(
        authorized.library.changes.observe(since: token, grant: authorized.grant, attenuation: authorized.attenuation) {
          session.schedule()
        })
      session.observer = observer
      call.core.open[call.connection] = session
      try session.tell(first)
    } catch {
      session.stop()
      throw error
    }
    if !session.isOver { session.closing = call.connection.onClose { [weak session] in session?.stop() } }
  }

  private init(_ call: IncomingCall, _ authorized: AuthorizedCall, _ outlivesAccess: Bool) {
    self.outlivesAccess = outlivesAccess
    self.call = call
    self.authorized = authorized
  }

  /// Several changes of one turn of the loop become one event.
  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    call.core.later { [self] in
      // By now the connection may wait for something else.
      guard !isOver else { return }
      call.connection.whenDrained { [self] in look() }
    }
  }

  /// Each event is checked against the present grant, not the one at the start.
  private func look() {
    isScheduled = false
    guard let observer, !call.isClosed else { return }
    if isAway { permit.session.regain(permit) }
    guard survives() else { return }
    let policies = call.core.runtimes[authorized.library].policies
    if policies.isAskingOfVisibleAlbums(observer.grant), authorized.library.changes.hasUnseenAlbums(for: observer) {
      // The policy is deciding about this app's albums, so the event waits for its answer. It does
      // not wait for others' albums, because the delay would reveal them; their changes come in a
      // later event.
      isScheduled = true
      return policies.afterPolicyAnswered(for: observer.grant) { [self] in look() }
    }
    do throws(CallFailure) {
      var event = try decide(authorized.library.changes.next(observer))
      if isAway, event == nil {
        event = try decide(
          authorized.library.changes.list(since: nil, grant: observer.grant, attenuation: observer.attenuation))
      }
      isAway = false
      if let event { try tell(event) }
    } catch {
      stop()
      call.fail(error)
    }
  }

  var permit: Permit { authorized.permit }

  func survives() -> Bool {
    guard let now = try? authorized.renewed() else { return false }
    authorized = now
    return true
  }

  func revoke() {
    if outlivesAccess, permit.session.mayRegain(permit) { return leave() }
    var reason = BrokerError.accessEnded
    do throws(BrokerError) { _ = try authorized.renewed() } catch { reason = error }
    stop()
    call.fail(reason)
  }

  /// Tells once that access is gone.
  private func leave() {
    guard !isAway, let observer else { return }
    isAway = true
    call.attempt { () throws(CallFailure) in
      let event = try decide(authorized.library.changes.absence(of: observer))
      let writer = try EventWriter(event, seals: authorized.seals, withholding: [])
      call.write(continues: true) { writer.write(to: &$0) }
    }
    if call.isAnswered { stop() }
  }

  private func tell(_ event: ChangeEvent) throws(CallFailure) {
    let writer = try EventWriter(event, seals: authorized.seals, withholding: authorized.permit.withheld)
    try writer.note(in: call.core.disclosures, authorized.permit)
    call.write(under: authorized.permit, continues: true) { writer.write(to: &$0) }
    if call.isAnswered { stop() }
  }

  private func stop() {
    guard !isOver else { return }
    isOver = true
    if let observer { authorized.library.changes.stopObserving(observer) }
    observer = nil
    call.core.open[call.connection] = nil
    call.connection.forgetClose(closing)
    call.core.open.end(authorized.app)
  }
}
