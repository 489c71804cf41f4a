/// Why a cryptographic operation gave no result. It never says more than its code: no key, text or position.
///
/// Two errors are equal when their codes are.
public struct CryptographyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable {
    /// libcrypto lacks the algorithm, or has no memory.
    case unavailable
    /// A key, text or result has a length that the algorithm does not take.
    case invalidLength
    /// What was sealed was changed, or was sealed with another key or other associated data.
    case authenticationFailed
    /// Text is not the one canonical encoding of any bytes.
    case invalidEncoding
  }

  /// The kind of failure.
  public let code: Code
  /// What went wrong and what to do about it.
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
