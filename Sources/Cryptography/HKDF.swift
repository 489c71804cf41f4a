internal import CCrypto

/// Derives keys from a key: HKDF with SHA-256.
///
/// Source: https://www.rfc-editor.org/rfc/rfc5869
public enum HKDF {
  /// The most bytes of one derivation.
  public static let limitBytes = 255 * Digest.byteCount

  /// Derives `count` bytes for the purpose `info`. Bytes of different purposes are unrelated.
  ///
  /// - Throws: `invalidLength` for an empty key or a count outside 1 to `limitBytes`;
  ///   `unavailable`.
  public static func derive(
    from key: borrowing SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int
  ) throws(CryptographyError) -> SecretBytes {
    guard key.count > 0, (1...limitBytes).contains(count) else { throw .invalidLength("a derived key") }
    let derived = SecretBytes(count: count)
    var done: Int32 = 0
    key.withUnsafeBytes { key in
      derived.fill { target in
        done = ccrypto_hkdf_sha256(
          key.assumingMemoryBound(to: UInt8.self).baseAddress, key.count, salt, salt.count, info, info.count,
          target.assumingMemoryBound(to: UInt8.self).baseAddress, target.count)
      }
    }
    guard done == 1 else { throw .unavailable("HKDF") }
    return derived
  }
}
