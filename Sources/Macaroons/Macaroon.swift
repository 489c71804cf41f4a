public import Cryptography
import Limits

/// A bearer token that its holder can attenuate offline, and that nobody can extend.
///
/// The signature is a chain of HMACs: the first is of the identifier, under a key derived from the
/// root key. Each further one is of a caveat, under the HMAC before. So a holder of the last HMAC
/// can append caveats but not remove any.
///
/// Source:
/// https://research.google/pubs/macaroons-cookies-with-contextual-caveats-for-decentralized-authorization-in-the-cloud/
public struct Macaroon: Hashable, Sendable {
  /// The place where the token was made: a hint, not covered by the signature.
  public let location: String
  /// The identifier by which its maker recognises the token; not secret.
  public let identifier: [UInt8]
  /// The texts of its caveats, in the order of their addition.
  public private(set) var caveats: [[UInt8]]
  /// The last HMAC of the chain.
  public private(set) var signature: Digest

  init(location: String, identifier: [UInt8], caveats: [[UInt8]], signature: Digest) {
    self.location = location
    self.identifier = identifier
    self.caveats = caveats
    self.signature = signature
  }

  /// Mints a token without caveats.
  ///
  /// - Throws: `limitExceeded`, `cryptography`.
  public static func mint(
    location: String, identifier: [UInt8], key: borrowing SecretBytes
  ) throws(MacaroonError) -> Self {
    let chain = try SignatureChain(rootKey: key)
    let macaroon = Self(
      location: location, identifier: identifier, caveats: [], signature: try chain.signature(of: identifier, []))
    if macaroon.binary.count > MacaroonLimits.bytes { throw .tooLong }
    return macaroon
  }

  /// Returns the token attenuated by `caveat`; no key is needed.
  ///
  /// - Throws: `limitExceeded`, `cryptography`.
  public func adding(_ caveat: Caveat) throws(MacaroonError) -> Self {
    try addingFirstPartyCaveat(Array(caveat.text.utf8))
  }

  /// Returns the token attenuated by a caveat of any text. A text unknown to the verifier makes the
  /// token invalid.
  ///
  /// - Throws: `limitExceeded`, `cryptography`.
  public func addingFirstPartyCaveat(_ caveat: [UInt8]) throws(MacaroonError) -> Self {
    if caveats.count >= MacaroonLimits.caveats { throw .tooManyCaveats }
    var narrowed = self
    narrowed.caveats.append(caveat)
    narrowed.signature = try SignatureChain.next(after: signature, caveat)
    if narrowed.binary.count > MacaroonLimits.bytes { throw .tooLong }
    return narrowed
  }

  /// Checks the signature, then every caveat with `isMet`.
  ///
  /// - Throws: `notAuthentic`, `caveatNotMet`, `cryptography`.
  public func verify(key: borrowing SecretBytes, _ isMet: ([UInt8]) -> Bool) throws(MacaroonError) {
    let chain = try SignatureChain(rootKey: key)
    guard try chain.signature(of: identifier, caveats) == signature else { throw .notAuthentic }
    for caveat in caveats where !isMet(caveat) { throw .caveatNotMet }
  }
}
