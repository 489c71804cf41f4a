internal import CCrypto

/// Hashes that others name, of which only some can be made here: to compare with, and to protect nothing.
public enum NamedHash {
  /// - Parameter algorithm: sha256, sha1, md5 and others, as libcrypto knows them.
  /// - Returns: Lower-case hexadecimal digits; nil where there is no such algorithm.
  public static func hexadecimal(_ algorithm: String, of bytes: [UInt8]) -> String? {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count = 0
    guard EVP_Q_digest(nil, algorithm, nil, bytes, bytes.count, &digest, &count) == 1 else { return nil }
    return digest.prefix(count).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
