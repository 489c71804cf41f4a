/// A number of calls or bytes that all holders of a token share, with the holders of every token
/// attenuated from it.
public struct TokenBudget: Hashable, Sendable {
  /// The thing that is counted.
  public enum Kind: String, Hashable, Sendable {
    /// Calls that need the token.
    case uses
    /// Bytes of files and pictures that are delivered.
    case bytes
  }

  public let kind: Kind
  public let limit: Int64
  /// 32 bytes that are the same for all these tokens, and do not reveal the signature.
  public let key: [UInt8]
}
