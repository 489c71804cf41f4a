package import Macaroons
import PhotoModel

/// A token that was verified and bound to one connection. Its MAC is not computed again; the grant
/// is read at every call.
package final class Attachment {
  package let accessor: Accessor
  /// The accessor of the grant's token; another one for a child token.
  let grantAccessor: Accessor
  package let grant: GrantState
  package let library: LibraryState
  /// The verbs of the grant that the token keeps.
  package let verbs: Verbs
  /// The assets to which the token is attenuated; nil: all.
  package let attenuation: Attenuation?
  /// The facts that the token withholds, beside those of the grant.
  private let withheldByToken: WithheldFacts
  /// The numbers of uses and bytes that the token allows.
  let budgets: [TokenBudgets.Account]
  /// The token's own end.
  let end: TokenEnd?
  /// The caveats, for a child token.
  let restrictions: TokenRestrictions
  /// Whether the token is the grant's as the broker minted it, so that its holder may get it again.
  let isWhole: Bool
  /// The grant's epoch at the last restriction that concerned the attenuated assets.
  private var narrowedEpoch: UInt64
  private var isRevoked = false

  init(
    accessor: Accessor, grantAccessor: Accessor? = nil, grant: GrantState, library: LibraryState, verbs: Verbs = .all,
    attenuation: Attenuation? = nil,
    withheld: WithheldFacts = [], budgets: [TokenBudgets.Account] = [], end: TokenEnd? = nil,
    restrictions: TokenRestrictions = TokenRestrictions(), isWhole: Bool
  ) {
    self.accessor = accessor
    self.grantAccessor = grantAccessor ?? accessor
    self.grant = grant
    self.library = library
    self.verbs = verbs
    self.attenuation = attenuation
    withheldByToken = withheld
    self.budgets = budgets
    self.end = end
    self.restrictions = restrictions
    self.isWhole = isWhole
    narrowedEpoch = grant.record.epoch
    if let attenuation { grant.note(self, of: attenuation) }
  }

  /// Whether the token gives less than its grant, whatever its verbs.
  var isPartial: Bool { attenuation != nil || !withheldByToken.isEmpty || !budgets.isEmpty }

  /// The rest of the token's uses or bytes; nil: they are not counted.
  func rest(_ kind: TokenBudget.Kind) -> Int64? { budgets.filter { $0.budget.kind == kind }.map(\.rest).min() }

  /// The facts that the holder does not get at this moment.
  package var withheld: WithheldFacts { grant.record.termsInForce.withheld.union(withheldByToken) }

  /// The longest edge of each picture that the holder gets at this moment.
  package var pixels: Int { min(grant.record.terms.pixels, restrictions.pixels ?? .max) }

  /// Grows with every restriction that concerns the token's assets. Replies that were prepared
  /// under an older epoch are dropped.
  var epoch: UInt64 { attenuation == nil ? grant.record.epoch : narrowedEpoch }

  /// Brings a live attenuation up to date. Changes of content do so by themselves, and answers of a
  /// policy and new terms do not.
  func follow() {
    if let attenuation, attenuation.key.isLive { library.changes.follow(attenuation, of: grant) }
  }

  /// Notes a restriction that concerns the token's assets.
  func invalidate(at epoch: UInt64) { narrowedEpoch = epoch }

  /// Whether it is a child token.
  package var isChild: Bool { accessor != grantAccessor }

  /// Ends a child token; a grant's token ends with another accessor of its grant.
  func revoke() { isRevoked = true }

  /// Whether the token is still the grant's and has not ended.
  func isCurrent(_ environment: any Environment) -> Bool { fault(environment) == nil }

  /// The reason why the token is not valid any more; nil if it is.
  func fault(_ environment: any Environment) -> BrokerError? {
    guard !isRevoked, grantAccessor == grant.record.accessor else { return .tokenRevoked() }
    return end?.hasCome(environment) ?? false ? .tokenExpired() : nil
  }
}
