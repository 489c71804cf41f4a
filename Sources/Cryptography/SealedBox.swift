internal import CCrypto

/// Deterministic authenticated encryption with AES-256-SIV, for cursors and change tokens. Equal
/// texts under equal associated data give equal boxes; a box reveals nothing else.
///
/// A box is the synthetic initialisation vector of 16 bytes and the encrypted text.
///
/// Use it from one thread at a time.
///
/// Source: https://www.rfc-editor.org/rfc/rfc5297
public final class SealedBox {
  private let sealing: OpaquePointer
  private let opening: OpaquePointer
  private let context: OpaquePointer
  nonisolated(unsafe) private static let algorithm = EVP_CIPHER_fetch(nil, "AES-256-SIV", nil)

  /// The size of a key in bytes: two keys of AES-256.
  public static let keyBytes = 64
  /// The size of a box minus that of its text, in bytes.
  public static let overheadBytes = 16

  /// Creates a sealer with a key of 64 bytes.
  ///
  /// - Throws: `invalidLength`, `unavailable`.
  public init(key: borrowing SecretBytes) throws(CryptographyError) {
    if key.count != Self.keyBytes { throw .invalidLength("a key") }
    guard let sealing = EVP_CIPHER_CTX_new() else { throw .unavailable("AES-256-SIV") }
    self.sealing = sealing
    guard let opening = EVP_CIPHER_CTX_new() else {
      EVP_CIPHER_CTX_free(sealing)
      throw .unavailable("AES-256-SIV")
    }
    self.opening = opening
    guard let context = EVP_CIPHER_CTX_new() else {
      EVP_CIPHER_CTX_free(sealing)
      EVP_CIPHER_CTX_free(opening)
      throw .unavailable("AES-256-SIV")
    }
    self.context = context
    let done = key.withUnsafeBytes { bytes in
      let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      return EVP_EncryptInit_ex2(sealing, Self.algorithm, start, nil, nil) == 1
        && EVP_DecryptInit_ex2(opening, Self.algorithm, start, nil, nil) == 1
    }
    guard done else { throw .unavailable("AES-256-SIV") }
  }

  deinit {
    EVP_CIPHER_CTX_free(sealing)
    EVP_CIPHER_CTX_free(opening)
    EVP_CIPHER_CTX_free(context)
  }

  /// Seals `text`. The box opens only with the same `associated` data.
  ///
  /// - Throws: `invalidLength` for an empty text; `unavailable`.
  public func seal(_ text: Span<UInt8>, associated: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
    guard !text.isEmpty, let length = Int32(exactly: text.count) else { throw .invalidLength("the text") }
    guard begin(isSealing: true), addAssociated(associated, isSealing: true) else { throw .unavailable("AES-256-SIV") }
    var box = [UInt8](repeating: 0, count: text.count + Self.overheadBytes)
    let isDone = text.withUnsafeBufferPointer { text in
      box.withUnsafeMutableBufferPointer { box in
        guard let start = box.baseAddress else { return false }
        var written: Int32 = 0
        return EVP_EncryptUpdate(context, start + Self.overheadBytes, &written, text.baseAddress, length) == 1
          && EVP_EncryptFinal_ex(context, nil, &written) == 1
          && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.overheadBytes), start) == 1
      }
    }
    guard isDone else { throw .unavailable("AES-256-SIV") }
    return box
  }

  /// Opens a box.
  ///
  /// - Throws: `authenticationFailed` for a box from another key or other `associated` data;
  ///   `unavailable`.
  public func open(_ box: Span<UInt8>, associated: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
    guard box.count > Self.overheadBytes, let length = Int32(exactly: box.count - Self.overheadBytes) else {
      throw .authenticationFailed
    }
    guard begin(isSealing: false) else { throw .unavailable("AES-256-SIV") }
    var copy = box.withUnsafeBufferPointer { [UInt8]($0) }
    var text = [UInt8](repeating: 0, count: Int(length))
    let isDone = copy.withUnsafeMutableBufferPointer { box in
      guard let start = box.baseAddress,
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.overheadBytes), start) == 1,
        addAssociated(associated, isSealing: false)
      else { return false }
      var written: Int32 = 0
      return EVP_DecryptUpdate(context, &text, &written, start + Self.overheadBytes, length) == 1
        && EVP_DecryptFinal_ex(context, nil, &written) == 1
    }
    guard isDone else { throw .authenticationFailed }
    return text
  }

  /// Seals `text`.
  public func seal(_ text: [UInt8], associated: [UInt8]) throws(CryptographyError) -> [UInt8] {
    try seal(text.span, associated: associated.span)
  }

  /// Opens a box.
  public func open(_ box: [UInt8], associated: [UInt8]) throws(CryptographyError) -> [UInt8] {
    try open(box.span, associated: associated.span)
  }

  /// Seals `text` into base64url.
  public func sealToText(_ text: [UInt8], associated: [UInt8]) throws(CryptographyError) -> String {
    let box = try seal(text.span, associated: associated.span)
    return Base64URL.encode(box)
  }

  /// Opens a box from `sealToText`.
  ///
  /// - Throws: `authenticationFailed` for any other text; `unavailable`.
  public func openText(_ box: String, associated: [UInt8]) throws(CryptographyError) -> [UInt8] {
    guard let bytes = try? Base64URL.decode(box) else { throw .authenticationFailed }
    return try open(bytes.span, associated: associated.span)
  }

  /// Restarts the context. OpenSSL's SIV needs the key again for each text; copying a keyed context
  /// takes a third of the time.
  private func begin(isSealing: Bool) -> Bool {
    EVP_CIPHER_CTX_copy(context, isSealing ? sealing : opening) == 1
  }

  private func addAssociated(_ data: Span<UInt8>, isSealing: Bool) -> Bool {
    guard let length = Int32(exactly: data.count) else { return false }
    // OpenSSL before 3.0.10 ignores an empty entry, so none is passed: no data and empty data are
    // the same.
    if length == 0 { return true }
    var written: Int32 = 0
    return data.withUnsafeBufferPointer {
      (isSealing
        ? EVP_EncryptUpdate(context, nil, &written, $0.baseAddress, length)
        : EVP_DecryptUpdate(context, nil, &written, $0.baseAddress, length)) == 1
    }
  }
}
