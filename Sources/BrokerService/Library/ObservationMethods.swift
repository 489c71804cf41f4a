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

  private func fetchPersistentChanges(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.FetchPersistentChanges.Parameters = try call.parameters()
    try checkToken(parameters.since, authorized)
    if authorized.waitsForAlbums(call, then: fetchPersistentChanges) { return }
    let event = try decide(
      authorized.library.changes.list(
        since: parameters.since, grant: authorized.grant, attenuation: authorized.attenuation))
    let writer = try EventWriter(event, seals: authorized.seals, withholding: authorized.permit.withheld)
    try writer.note(in: disclosures, authorized.permit)
    call.write(under: authorized.permit) { writer.write(to: &$0) }
  }

  /// An invalid token fails at once, before the wait for a policy.
  private func checkToken(_ since: String?, _ authorized: AuthorizedCall) throws(CallFailure) {
    guard let since else { return }
    try decide(authorized.library.changes.checkToken(since, of: authorized.app))
  }

  private func observeChanges(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.ObserveChanges.Parameters = try call.parameters()
    try checkToken(parameters.since, authorized)
    // The first state includes the albums, so that a policy's late answer is not reported as a
    // change.
    if authorized.waitsForAlbums(call, then: observeChanges) { return }
    try ObserverSession.start(
      since: parameters.since, outlivesAccess: parameters.outlivesAccess ?? false, call: call, authorized: authorized)
  }
}
