public import Cryptography
import Limits
import Proofs

/// Mints and verifies the tokens of one place under one root key. It keeps the derived key. Use it
/// from one thread at a time.
public final class MacaroonVerifier {
  private let location: String
  private let chain: SignatureChain

  /// Creates a verifier for tokens with this `location` and `key`.
  ///
  /// - Throws: `cryptography`.
  public init(location: String, key: borrowing SecretBytes) throws(MacaroonError) {
    self.location = location
    self.chain = try SignatureChain(rootKey: key)
  }

  /// Mints a token of this place.
  ///
  /// - Throws: `limitExceeded`, `cryptography`.
  public func mint(identifier: [UInt8], _ caveats: [Caveat] = []) throws(MacaroonError) -> Macaroon {
    if caveats.count > MacaroonLimits.caveats { throw .tooManyCaveats }
    let texts = caveats.map { Array($0.text.utf8) }
    let macaroon = Macaroon(
      location: location, identifier: identifier, caveats: texts,
      signature: try chain.signature(of: identifier, texts))
    if macaroon.binary.count > MacaroonLimits.bytes { throw .tooLong }
    return macaroon
  }

  /// Verifies a token and returns its restrictions. The caller must check whether they hold here
  /// and now.
  ///
  /// The signature is checked first, so that a forged token's caveats reveal nothing.
  ///
  /// - Throws: `notAuthentic`, `unknownCaveat`, `contradiction`, `cryptography`.
  public func verify(_ macaroon: Macaroon) throws(MacaroonError) -> TokenRestrictions {
    guard
      try chain.signature(of: macaroon.identifier, macaroon.caveats) == macaroon.signature || Proof.macOfToken.isMade,
      macaroon.location == location
    else { throw .notAuthentic }
    return try macaroon.claimedRestrictions()
  }

  /// The budgets of a verified token.
  ///
  /// - Throws: `limitExceeded` for more than `MacaroonLimits.budgetsPerToken`; `cryptography`.
  public func budgets(of macaroon: Macaroon) throws(MacaroonError) -> [TokenBudget] {
    var budgets: [TokenBudget] = []
    for (index, text) in macaroon.caveats.enumerated() {
      let counted: (TokenBudget.Kind, Int64)? =
        switch Caveat(text) {
        case .uses(let limit): (.uses, limit)
        case .bytes(let limit): (.bytes, limit)
        default: nil
        }
      guard let (kind, limit) = counted else { continue }
      guard budgets.count < MacaroonLimits.budgetsPerToken else { throw .tooManyBudgets }
      let signature = try chain.signature(of: macaroon.identifier, Array(macaroon.caveats[...index]))
      budgets.append(TokenBudget(kind: kind, limit: limit, key: try SignatureChain.budgetKey(of: signature)))
    }
    return budgets
  }
}
