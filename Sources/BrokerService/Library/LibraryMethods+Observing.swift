import Broker
import BrokerInterface
import Macaroons
import PhotoModel
import Varlink

extension LibraryMethods {
  /// An event lists changed assets in full, so it needs both verbs.
  private static let listing: Verbs = [.observe, .read]

  static let observing: [Method] = [
    Method(
      Library.ObserveChanges.self, listing,
      check: { call throws(CallFailure) in let _: Library.ObserveChanges.Parameters = try call.parameters() },
      expectsMore: true,
      observeChanges),
    Method(
      Library.FetchPersistentChanges.self, listing,
      check: { call throws(CallFailure) in let _: Library.FetchPersistentChanges.Parameters = try call.parameters() },
      fetchPersistentChanges),
  ]

  private static func fetchPersistentChanges(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.FetchPersistentChanges.Parameters = try call.parameters()
    try checkToken(parameters.since, admission)
    if waitsForAlbums(call, admission, then: fetchPersistentChanges) { return }
    let event = try decide(
      admission.library.changes(since: parameters.since, grant: admission.grant, narrowing: admission.narrowing))
    let writer = try EventWriter(event, seals: admission.seals)
    guard writer.note(in: call.core, admission.permit) else { throw .broker(.ledgerUnavailable) }
    call.write(under: admission.permit) { writer.write(to: &$0) }
  }

  /// An invalid token fails at once, before the wait for a policy.
  private static func checkToken(_ since: String?, _ admission: Admission) throws(CallFailure) {
    guard let since else { return }
    try decide(admission.library.checkToken(since, of: admission.app))
  }

  private static func observeChanges(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.ObserveChanges.Parameters = try call.parameters()
    try checkToken(parameters.since, admission)
    // The first state includes the albums, so that a policy's late answer is not reported as a
    // change.
    if waitsForAlbums(call, admission, then: observeChanges) { return }
    try ObserverSession.start(since: parameters.since, call: call, admission: admission)
  }
}
