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

  /// Returns a random 128-bit number.
  ///
  /// - Throws: `unavailable` if the random generator fails.
  public static func make128() throws(CryptographyError) -> UInt128 {
    var value: UInt128 = 0
    let done = withUnsafeMutableBytes(of: &value) {
      RAND_bytes($0.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(clamping: $0.count))
    }
    guard done == 1 else { throw .unavailable("random numbers") }
    return value
  }
}
