internal import CCrypto

/// SHA-256 of bytes that arrive in parts.
///
/// Use it from one thread at a time.
///
/// Source: https://csrc.nist.gov/pubs/fips/180-4/upd1/final
public final class SHA256 {
  private let context: OpaquePointer
  // Fetched once: an implicit fetch takes longer than the hash of a short text. Immutable, and
  // shared by design.
  nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

  /// Creates a hash of no bytes.
  ///
  /// - Throws: `unavailable`.
  public init() throws(CryptographyError) {
    guard let context = EVP_MD_CTX_new() else { throw .unavailable("SHA-256") }
    self.context = context
    try restart()
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) throws(CryptographyError) {
    if bytes.isEmpty { return }
    guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { throw .unavailable("SHA-256") }
  }

  /// Adds bytes.
  public func update(_ bytes: Span<UInt8>) throws(CryptographyError) {
    try bytes.withUnsafeBufferPointer { (buffer: UnsafeBufferPointer<UInt8>) throws(CryptographyError) in
      try update(UnsafeRawBufferPointer(buffer))
    }
  }

  /// Adds bytes.
  public func update(_ bytes: [UInt8]) throws(CryptographyError) { try update(bytes.span) }

  /// Returns the digest of all added bytes, and starts a new one.
  public func finish() throws(CryptographyError) -> Digest {
    var digest = Digest()
    let done = digest.withUnsafeMutableBytes {
      EVP_DigestFinal_ex(context, $0.assumingMemoryBound(to: UInt8.self).baseAddress, nil)
    }
    guard done == 1 else { throw .unavailable("SHA-256") }
    try restart()
    return digest
  }

  private func restart() throws(CryptographyError) {
    guard EVP_DigestInit_ex2(context, Self.algorithm, nil) == 1 else { throw .unavailable("SHA-256") }
  }

  /// Computes the digest of `bytes`.
  public static func digest(of bytes: Span<UInt8>) throws(CryptographyError) -> Digest {
    let hash = try SHA256()
    try hash.update(bytes)
    return try hash.finish()
  }

  /// Computes the digest of `bytes`.
  public static func digest(of bytes: [UInt8]) throws(CryptographyError) -> Digest { try digest(of: bytes.span) }
}
