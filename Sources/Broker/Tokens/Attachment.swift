package import Macaroons
package import PhotoModel

/// A token that was checked and bound to one connection. From then on its MAC is not computed again; the grant is asked at
/// every call.
package final class Attachment {
  package let accessor: Accessor
  package let grant: GrantState
  package let library: LibraryState
  /// What the token leaves of the grant.
  package let verbs: Verbs
  /// The assets that the token was narrowed to; nil: not narrowed.
  package let narrowing: Narrowing?
  /// When the token ends by itself.
  package let expires: Timestamp?
  private let deadline: Duration?
  /// The token is as the broker minted it, so that its holder may be given it again.
  let isWhole: Bool
  /// Of a token that was narrowed to some assets: the grant's epoch when something was last taken away that it showed.
  private var narrowedEpoch: UInt64

  init(
    accessor: Accessor, grant: GrantState, library: LibraryState, verbs: Verbs, narrowing: Narrowing?, expires: Timestamp?,
    deadline: Duration?, isWhole: Bool
  ) {
    self.accessor = accessor
    self.grant = grant
    self.library = library
    self.verbs = verbs
    self.narrowing = narrowing
    self.expires = expires
    self.deadline = deadline
    self.isWhole = isWhole
    narrowedEpoch = grant.record.epoch
    if let narrowing { grant.note(self, of: narrowing) }
  }

  /// Grows with everything that is taken away of what the token shows. Nothing admitted under an older one leaves.
  var epoch: UInt64 { narrowing == nil ? grant.record.epoch : narrowedEpoch }

  /// Something that the token showed may be shown no longer.
  func invalidate(at epoch: UInt64) { narrowedEpoch = epoch }

  /// Whether the token is still the grant's token and has not ended.
  func isCurrent(_ environment: any Environment) -> Bool {
    guard accessor == grant.record.accessor else { return false }
    guard let expires else { return true }
    if environment.now >= expires { return false }
    return deadline.map { environment.monotonic < $0 } ?? true
  }
}
