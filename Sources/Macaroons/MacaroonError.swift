import Limits

/// An error of a token. It never quotes the token.
///
/// Two errors are equal if their codes are.
public struct MacaroonError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable {
    /// The token is not a macaroon of format v2 in canonical encoding.
    case malformed
    /// The token is longer than `MacaroonLimits.bytes`, or has more caveats than
    /// `MacaroonLimits.caveats`.
    case limitExceeded
    /// The token has a third-party caveat.
    case thirdPartyCaveat
    /// The token was minted elsewhere or for another place, or has been changed.
    case notAuthentic
    /// The token has a caveat that this broker does not know or cannot parse.
    case unknownCaveat
    /// A caveat does not hold here and now.
    case caveatNotMet
    /// The token's caveats exclude each other, so that it allows nothing.
    case contradiction
    /// libcrypto failed.
    case cryptography
  }

  /// The kind of failure.
  public let code: Code
  /// The cause and the fix.
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
  static let tooManyBudgets = Self(
    .limitExceeded,
    "the token counts uses or bytes in more than \(MacaroonLimits.budgetsPerToken) caveats; narrow an earlier one")
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
