import Broker
import Catalogue
import Macaroons
import PhotoModel

/// An authorized call: the permit under which every byte of its answer leaves, and the view it
/// reads from. A class, since each step of a call hands it to the next.
final class Admission {
  let permit: Permit
  /// The grant's view at the time of the call. A grant that shows nothing, such as an add-only one,
  /// has an empty view.
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

  /// Authorizes again with the present grant, for operations that outlive their call: observers and
  /// streams.
  func renewed() throws(BrokerError) -> Admission {
    try Admission(
      permit.session.admit(permit.verbs, level: grant.record.key.level, library: grant.record.key.library))
  }

  /// The reason for which an operation under this admission may not continue; nil: it may.
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
  var mayAdd: Bool { (try? admit(.add)) != nil }
}
