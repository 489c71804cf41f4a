public import Cryptography
import Limits

/// A bearer token that its holder can narrow without asking and nobody can widen.
///
/// The signature is a chain of HMACs: of the identifier under a key derived from the root key, then
/// of each caveat under the code before. Whoever has the last code can append a caveat and cannot
/// take one away.
///
/// Source:
/// https://research.google/pubs/macaroons-cookies-with-contextual-caveats-for-decentralized-authorization-in-the-cloud/
public struct Macaroon: Hashable, Sendable {
  /// Where the token was made: a hint, which the signature does not cover.
  public let location: String
  /// What the maker recognises the token by; not secret.
  public let identifier: [UInt8]
  /// The texts of its caveats, in the order in which they were added.
  public private(set) var caveats: [[UInt8]]
  /// The last code of the chain.
  public private(set) var signature: Digest

  init(location: String, identifier: [UInt8], caveats: [[UInt8]], signature: Digest) {
    self.location = location
    self.identifier = identifier
    self.caveats = caveats
    self.signature = signature
  }

  /// Makes a token without caveats.
  ///
  /// - Throws: `limitExceeded`; `cryptography`.
  public static func mint(
    location: String, identifier: [UInt8], key: borrowing SecretBytes
  ) throws(MacaroonError) -> Self {
    let chain = try SignatureChain(rootKey: key)
    let macaroon = Self(
      location: location, identifier: identifier, caveats: [], signature: try chain.signature(of: identifier, []))
    if macaroon.binary.count > MacaroonLimits.bytes { throw .tooLong }
    return macaroon
  }

  /// The token narrowed by `caveat`. It needs no key.
  ///
  /// - Throws: `limitExceeded`; `cryptography`.
  public func adding(_ caveat: Caveat) throws(MacaroonError) -> Self {
    try addingFirstPartyCaveat(Array(caveat.text.utf8))
  }

  /// The token narrowed by a caveat in any words; words that the verifier does not know make the token useless.
  ///
  /// - Throws: `limitExceeded`; `cryptography`.
  public func addingFirstPartyCaveat(_ caveat: [UInt8]) throws(MacaroonError) -> Self {
    if caveats.count >= MacaroonLimits.caveats { throw .tooManyCaveats }
    var narrowed = self
    narrowed.caveats.append(caveat)
    narrowed.signature = try SignatureChain.next(after: signature, caveat)
    if narrowed.binary.count > MacaroonLimits.bytes { throw .tooLong }
    return narrowed
  }

  /// Checks the signature, then asks `isMet` about every caveat.
  ///
  /// - Throws: `notAuthentic`, `caveatNotMet`, `cryptography`.
  public func verify(key: borrowing SecretBytes, _ isMet: ([UInt8]) -> Bool) throws(MacaroonError) {
    let chain = try SignatureChain(rootKey: key)
    guard try chain.signature(of: identifier, caveats) == signature else { throw .notAuthentic }
    for caveat in caveats where !isMet(caveat) { throw .caveatNotMet }
  }
}
