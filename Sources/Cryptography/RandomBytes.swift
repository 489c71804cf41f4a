internal import CCrypto

/// Unpredictable random bytes for identifiers and nonces. For keys use `SecretBytes(random:)`.
public enum RandomBytes {
  /// Returns `count` random bytes.
  ///
  /// - Throws: `unavailable` if the random generator fails.
  public static func make(_ count: Int) throws(CryptographyError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(count, 0))
    guard RAND_bytes(&bytes, Int32(clamping: bytes.count)) == 1 else { throw .unavailable("random numbers") }
    return bytes
  }
}
