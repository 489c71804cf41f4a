internal import CCrypto

/// Derives keys from a key: HKDF with SHA-256.
///
/// Source: https://www.rfc-editor.org/rfc/rfc5869
public enum HKDF {
  /// The most bytes that can be derived at once.
  public static let limitBytes = 255 * Digest.byteCount

  /// `count` bytes for the purpose that `info` names; another purpose gives unrelated bytes.
  ///
  /// - Throws: `invalidLength` for an empty key or a count outside 1 to `limitBytes`; `unavailable`.
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
