/// An error of a cryptographic operation. It reveals only its code: no key, text or position.
///
/// Two errors are equal if their codes are.
public struct CryptographyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable {
    /// libcrypto lacks the algorithm, or has no memory.
    case unavailable
    /// The algorithm does not accept the length of a key, text or result.
    case invalidLength
    /// The sealed text was changed, or sealed with another key or other associated data.
    case authenticationFailed
    /// The text is not a canonical encoding.
    case invalidEncoding
  }

  /// The kind of failure.
  public let code: Code
  /// The cause and the fix.
  public let message: String

  static func unavailable(_ what: String) -> Self {
    Self(code: .unavailable, message: "libcrypto cannot provide \(what); check that OpenSSL 3 is installed whole")
  }

  static func invalidLength(_ what: String) -> Self {
    Self(code: .invalidLength, message: "\(what) has a length that is not allowed")
  }

  static let authenticationFailed = Self(
    code: .authenticationFailed, message: "the text was not sealed here, or was changed since")

  static func invalidEncoding(_ what: String) -> Self {
    Self(code: .invalidEncoding, message: "the text is not \(what) in its canonical form")
  }

  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
  public var description: String { "cryptography: \(message)" }
}
