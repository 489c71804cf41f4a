internal import CCrypto

/// HMAC-SHA256 with a reusable context.
///
/// One context serves a chain in which each result is the next key, or many messages under one key.
///
/// Use it from one thread at a time.
///
/// Source: https://www.rfc-editor.org/rfc/rfc2104
public final class HMACSHA256 {
  private let context: OpaquePointer
  /// The hash for keys that are used once. OpenSSL's HMAC takes twice as long for a new key, since
  /// it copies three contexts.
  private let hash: SHA256
  private static let blockBytes = 64
  nonisolated(unsafe) private static let algorithm = EVP_MAC_fetch(nil, "HMAC", nil)

  /// Creates a context without a key.
  ///
  /// - Throws: `unavailable`.
  public init() throws(CryptographyError) {
    hash = try SHA256()
    guard let context = EVP_MAC_CTX_new(Self.algorithm) else { throw .unavailable("HMAC-SHA256") }
    self.context = context
    let done = ccrypto_hmac_use_sha256(context)
    guard done == 1 else { throw .unavailable("HMAC-SHA256") }
  }

  /// Creates a context with a key, for `authenticate(_:)`.
  ///
  /// - Throws: `invalidLength` for an empty key; `unavailable`.
  public convenience init(key: borrowing SecretBytes) throws(CryptographyError) {
    try self.init()
    try key.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(CryptographyError) in try setKey(bytes) }
  }

  deinit { EVP_MAC_CTX_free(context) }

  /// Computes the HMAC of `message` under the context's key.
  public func authenticate(_ message: UnsafeRawBufferPointer) throws(CryptographyError) -> Digest {
    // Without a key OpenSSL restarts with the present one.
    guard EVP_MAC_init(context, nil, 0, nil) == 1 else { throw .unavailable("HMAC-SHA256") }
    return try finish(message)
  }

  /// Computes the HMAC of `message` under the context's key.
  public func authenticate(_ message: Span<UInt8>) throws(CryptographyError) -> Digest {
    try message.withUnsafeBufferPointer { (buffer: UnsafeBufferPointer<UInt8>) throws(CryptographyError) in
      try authenticate(UnsafeRawBufferPointer(buffer))
    }
  }

  /// Computes the HMAC of `message` under the context's key.
  public func authenticate(_ message: [UInt8]) throws(CryptographyError) -> Digest { try authenticate(message.span) }

  /// Computes the HMAC of `message` under `key`; the context's own key stays unchanged.
  ///
  /// - Throws: `invalidLength` for an empty key; `unavailable`.
  public func authenticate(
    _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
  ) throws(CryptographyError) -> Digest {
    if key.isEmpty { throw .invalidLength("a key") }
    var pad = InlineArray<64, UInt8>(repeating: 0)
    defer { withUnsafeMutableBytes(of: &pad) { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    if key.count > Self.blockBytes {
      try hash.update(key)
      let digest = try hash.finish()
      digest.withUnsafeBytes { for index in 0..<$0.count { pad[index] = $0[index] } }
    } else {
      for index in 0..<key.count { pad[index] = key[index] }
    }
    for index in pad.indices { pad[index] ^= 0x36 }
    try hash.update(pad.span)
    try hash.update(message)
    let inner = try hash.finish()
    for index in pad.indices { pad[index] ^= 0x36 ^ 0x5C }
    try hash.update(pad.span)
    try inner.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(CryptographyError) in try hash.update(bytes) }
    return try hash.finish()
  }

  /// Computes the HMAC of `message` under `key`.
  public static func authenticate(
    _ message: [UInt8], key: borrowing SecretBytes
  ) throws(CryptographyError) -> Digest {
    let context = try HMACSHA256(key: key)
    return try context.authenticate(message.span)
  }

  private func setKey(_ key: UnsafeRawBufferPointer) throws(CryptographyError) {
    // OpenSSL takes a null key for the previous one.
    guard let start = key.baseAddress, key.count > 0 else { throw .invalidLength("a key") }
    guard EVP_MAC_init(context, start.assumingMemoryBound(to: UInt8.self), key.count, nil) == 1 else {
      throw .unavailable("HMAC-SHA256")
    }
  }

  private func finish(_ message: UnsafeRawBufferPointer) throws(CryptographyError) -> Digest {
    var digest = Digest()
    var length = 0
    let bytes = message.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let done =
      (message.isEmpty || EVP_MAC_update(context, bytes, message.count) == 1)
      && digest.withUnsafeMutableBytes {
        EVP_MAC_final(context, $0.assumingMemoryBound(to: UInt8.self).baseAddress, &length, $0.count) == 1
      }
    guard done, length == Digest.byteCount else { throw .unavailable("HMAC-SHA256") }
    return digest
  }
}
