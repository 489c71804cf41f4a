import Broker
import Catalogue
import Macaroons
import PhotoModel

/// An authorized call: the permit under which every byte of its answer leaves, and the view it
/// reads from. A class, since each step of a call hands it to the next.
final class AuthorizedCall {
  let permit: Permit
  /// The grant's view at the time of the call. A grant that shows nothing, such as an add-only one,
  /// has an empty view.
  let view: View
  let seals: AppSeals

  init(_ permit: Permit) throws(BrokerError) {
    self.permit = permit
    view = permit.view ?? .limited(permit.library.catalogue.emptySelection())
    seals = try permit.library.seals[permit.app]
  }

  var library: LibraryState { permit.library }
  var grant: GrantState { permit.grant }
  var app: AppIdentifier { permit.app }
  var attenuation: Attenuation? { permit.attenuation }
  /// Whether a person confirms what this call deletes (R153).
  var asksBeforeDeletions: Bool { grant.record.terms.deletions == .ask }

  /// Authorizes again with the present grant, for operations that outlive their call: observers and
  /// streams.
  func renewed() throws(BrokerError) -> AuthorizedCall {
    try AuthorizedCall(
      permit.session.authorize(permit.verbs, level: grant.record.key.level, library: grant.record.key.library))
  }

  /// Whether a call about albums must wait for its grant's album policy. A policy is asked after a
  /// start, and after a change of the grant or of a visible album.
  ///
  /// `body` runs with a renewed authorization once the policy has answered or timed out. Calls do not
  /// wait for a policy that failed.
  func waitsForAlbums(
    _ call: IncomingCall, then body: @escaping (IncomingCall, AuthorizedCall) throws(CallFailure) -> Void
  ) -> Bool {
    let policies = call.core.runtimes[library].policies
    guard policies.isAskingOfVisibleAlbums(grant) else { return false }
    policies.whenPolicyAnswered(for: grant) { [self] in
      call.resume { () throws(CallFailure) in try body(call, decide(renewed())) }
    }
    return true
  }

  /// The reason for which an operation under this authorization may not continue; nil: it may.
  var refusal: BrokerError? {
    do throws(BrokerError) { _ = try renewed() } catch {
      guard case .photos = error.code else {
        return .photos(.accessUserDenied, "Access ended before the change was made; request authorization again.")
      }
      return error
    }
    return nil
  }
}

extension Session {
  /// Whether this connection may send descriptors. Only apps that may add assets can.
  var mayAdd: Bool { (try? authorize(.add)) != nil }
}
