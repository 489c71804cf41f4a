import Broker
import BrokerInterface
import Macaroons
import PhotoModel
import Varlink

/// Changes of a library, at once or since a token.
struct ObservationMethods {
  let disclosures: Disclosures

  /// An event lists changed assets in full, so it needs both verbs.
  private static let listing: Verbs = [.observe, .read]

  @MethodRows var methods: [Method] {
    Method(Library.ObserveChanges.self, Self.listing, expectsMore: true, observeChanges)
    Method(Library.FetchPersistentChanges.self, Self.listing, fetchPersistentChanges)
  }

  private func fetchPersistentChanges(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.FetchPersistentChanges.Parameters = try call.parameters()
    try checkToken(parameters.since, admission)
    if admission.waitsForAlbums(call, then: fetchPersistentChanges) { return }
    let event = try decide(
      admission.library.changes.list(
        since: parameters.since, grant: admission.grant, attenuation: admission.attenuation))
    let writer = try EventWriter(event, seals: admission.seals)
    try writer.note(in: disclosures, admission.permit)
    call.write(under: admission.permit) { writer.write(to: &$0) }
  }

  /// An invalid token fails at once, before the wait for a policy.
  private func checkToken(_ since: String?, _ admission: Admission) throws(CallFailure) {
    guard let since else { return }
    try decide(admission.library.changes.checkToken(since, of: admission.app))
  }

  private func observeChanges(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.ObserveChanges.Parameters = try call.parameters()
    try checkToken(parameters.since, admission)
    // The first state includes the albums, so that a policy's late answer is not reported as a
    // change.
    if admission.waitsForAlbums(call, then: observeChanges) { return }
    try ObserverSession.start(since: parameters.since, call: call, admission: admission)
  }
}
