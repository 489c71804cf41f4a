import Broker
import Catalogue
import Macaroons
import PhotoModel

/// What a call was admitted to: the permit that goes with every byte of its answer, and what it may
/// look at meanwhile. One object, since each step of a call hands it to the next.
final class Admission {
  let permit: Permit
  /// What the grant showed when the call was admitted. A grant that shows nothing, such as an
  /// add-only one, shows an empty view.
  let view: View
  let seals: AppSeals

  init(_ permit: Permit) throws(BrokerError) {
    self.permit = permit
    view = permit.view ?? .limited(permit.library.catalogue.emptySelection())
    seals = try permit.library.seals(of: permit.app)
  }

  var library: LibraryState { permit.library }
  var grant: GrantState { permit.grant }
  var app: AppIdentifier { permit.app }
  var narrowing: Narrowing? { permit.narrowing }

  /// The same right as it is now; for what goes on after its call: observers and streams.
  func renewed() throws(BrokerError) -> Admission {
    try Admission(
      permit.session.admit(permit.verbs, level: grant.record.key.level, library: grant.record.key.library))
  }

  /// Why what began under this admission may not go on, if so.
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
  /// Whether descriptors may be sent to us on this connection: only by who may add.
  var mayAdd: Bool { (try? admit(.add)) != nil }
}
