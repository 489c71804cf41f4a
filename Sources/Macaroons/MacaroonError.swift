import Limits

/// Why a token is not taken, or not made. It never quotes the token.
///
/// Two errors are equal when their codes are.
public struct MacaroonError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable {
    /// Not a macaroon of format v2 in its canonical encoding.
    case malformed
    /// Longer than `MacaroonLimits.bytes`, or with more caveats than `MacaroonLimits.caveats`.
    case limitExceeded
    /// It holds a third-party caveat.
    case thirdPartyCaveat
    /// It was not minted here, was minted for another place, or was changed since.
    case notAuthentic
    /// It holds a caveat that this broker does not know or cannot read.
    case unknownCaveat
    /// A caveat does not hold here and now.
    case caveatNotMet
    /// Its caveats exclude each other, so that it allows nothing.
    case contradiction
    /// libcrypto failed.
    case cryptography
  }

  /// The kind of failure.
  public let code: Code
  /// What went wrong and what to do about it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  static let malformed = Self(.malformed, "this is no token of format v2; hand it over exactly as it was received")
  static let tooLong = Self(
    .limitExceeded, "the token is longer than \(MacaroonLimits.bytes) bytes; narrow the original one in fewer words")
  static let tooManyCaveats = Self(
    .limitExceeded, "the token has more than \(MacaroonLimits.caveats) caveats; narrow the original one instead")
  static let thirdPartyCaveat = Self(.thirdPartyCaveat, "third-party caveats are not supported; remove them")
  static let notAuthentic = Self(.notAuthentic, "the token was not made for this library, or was changed since")
  static let unknownCaveat = Self(.unknownCaveat, "the token holds a caveat that is not understood here")
  static let caveatNotMet = Self(.caveatNotMet, "a caveat of the token does not hold here and now")
  static let contradiction = Self(.contradiction, "the token's caveats exclude each other, so that it allows nothing")
  static func cryptography(_ message: String) -> Self { Self(.cryptography, message) }

  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
  public var description: String { "macaroon: \(message)" }
}
