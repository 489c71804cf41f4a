package import Macaroons
import PhotoModel

/// A token that was checked and bound to one connection. From then on its MAC is not computed
/// again; the grant is asked at every call.
package final class Attachment {
  package let accessor: Accessor
  package let grant: GrantState
  package let library: LibraryState
  /// What the token leaves of the grant.
  package let verbs: Verbs
  /// The assets that the token was narrowed to; nil: not narrowed.
  package let narrowing: Narrowing?
  /// When the token ends by itself.
  let end: TokenEnd?
  /// The token is as the broker minted it, so that its holder may be given it again.
  let isWhole: Bool
  /// Of a token that was narrowed to some assets: the grant's epoch when something was last taken away that it showed.
  private var narrowedEpoch: UInt64

  init(
    accessor: Accessor, grant: GrantState, library: LibraryState, verbs: Verbs, narrowing: Narrowing?, end: TokenEnd?,
    isWhole: Bool
  ) {
    self.accessor = accessor
    self.grant = grant
    self.library = library
    self.verbs = verbs
    self.narrowing = narrowing
    self.end = end
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
    accessor == grant.record.accessor && !(end?.hasCome(environment) ?? false)
  }
}
