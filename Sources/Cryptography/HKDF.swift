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
    guard let algorithm = EVP_KDF_fetch(nil, "HKDF", nil) else { throw .unavailable("HKDF") }
    defer { EVP_KDF_free(algorithm) }
    guard let context = EVP_KDF_CTX_new(algorithm) else { throw .unavailable("HKDF") }
    defer { EVP_KDF_CTX_free(context) }
    let derived = SecretBytes(count: count)
    var salt = salt
    var info = info
    let done = key.withUnsafeBytes { key in
      "SHA256".withCString { name in
        salt.withUnsafeMutableBytes { salt in
          info.withUnsafeMutableBytes { info in
            var parameters = [
              OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, UnsafeMutablePointer(mutating: name), 0),
              OSSL_PARAM_construct_octet_string(
                OSSL_KDF_PARAM_KEY, UnsafeMutableRawPointer(mutating: key.baseAddress), key.count),
            ]
            // An absent salt means zeroes, as does an empty one; OpenSSL refuses a null pointer.
            if !salt.isEmpty {
              parameters.append(OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt.baseAddress, salt.count))
            }
            if !info.isEmpty {
              parameters.append(OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.baseAddress, info.count))
            }
            parameters.append(OSSL_PARAM_construct_end())
            var done: Int32 = 0
            derived.fill {
              done = EVP_KDF_derive(
                context, $0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count, &parameters)
            }
            return done
          }
        }
      }
    }
    guard done == 1 else { throw .unavailable("HKDF") }
    return derived
  }
}
