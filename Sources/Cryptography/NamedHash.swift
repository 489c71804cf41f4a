internal import CCrypto

/// Hash algorithms by name, to compare digests from other programs. They protect nothing.
public enum NamedHash {
  /// Computes a digest.
  /// - Parameter algorithm: sha256, sha1, md5 or another name in libcrypto.
  /// - Returns: nil for an unknown algorithm.
  public static func digest(_ algorithm: String, of bytes: [UInt8]) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count = 0
    guard EVP_Q_digest(nil, algorithm, nil, bytes, bytes.count, &digest, &count) == 1 else { return nil }
    return Array(digest.prefix(count))
  }
}
