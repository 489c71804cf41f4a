internal import CCrypto

/// A keyed permutation of 128-bit numbers: AES-128, one block each.
///
/// It gives each app its own identifiers of the same assets: without the key, identifiers of two
/// apps cannot be matched. Equal numbers have equal results. It does not authenticate: every number
/// is the image of some number, so the result of `invert` must be looked up, not trusted.
///
/// Use it from one thread at a time.
///
/// Source: https://csrc.nist.gov/pubs/fips/197/final
public final class BlockPermutation {
  private let forward: OpaquePointer
  private let backward: OpaquePointer
  nonisolated(unsafe) private static let algorithm = EVP_CIPHER_fetch(nil, "AES-128-ECB", nil)

  /// The size of a block, and of the key, in bytes.
  public static let blockBytes = 16

  /// Creates the permutation of a key of 16 bytes.
  ///
  /// - Throws: `invalidLength`, `unavailable`.
  public init(key: borrowing SecretBytes) throws(CryptographyError) {
    guard key.count == Self.blockBytes else { throw .invalidLength("a key") }
    guard let forward = EVP_CIPHER_CTX_new() else { throw .unavailable("AES-128") }
    guard let backward = EVP_CIPHER_CTX_new() else {
      EVP_CIPHER_CTX_free(forward)
      throw .unavailable("AES-128")
    }
    self.forward = forward
    self.backward = backward
    let done = key.withUnsafeBytes { bytes in
      let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      return EVP_EncryptInit_ex2(forward, Self.algorithm, start, nil, nil) == 1
        && EVP_DecryptInit_ex2(backward, Self.algorithm, start, nil, nil) == 1
    }
    guard done, EVP_CIPHER_CTX_set_padding(forward, 0) == 1, EVP_CIPHER_CTX_set_padding(backward, 0) == 1 else {
      throw .unavailable("AES-128")
    }
  }

  deinit {
    EVP_CIPHER_CTX_free(forward)
    EVP_CIPHER_CTX_free(backward)
  }

  /// Replaces each block of 16 bytes by its image.
  ///
  /// - Throws: `invalidLength` if the last block is incomplete; `unavailable`.
  public func apply(_ blocks: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    try update(blocks) { EVP_EncryptUpdate(forward, $0, $1, $0, $2) }
  }

  /// Replaces each image of 16 bytes by its original block.
  ///
  /// - Throws: `invalidLength` if the last block is incomplete; `unavailable`.
  public func invert(_ blocks: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    try update(blocks) { EVP_DecryptUpdate(backward, $0, $1, $0, $2) }
  }

  /// Replaces each number, as a big-endian block, by its image.
  public func apply(_ numbers: inout [UInt128]) throws(CryptographyError) {
    for index in numbers.indices { numbers[index] = numbers[index].bigEndian }
    try numbers.withUnsafeMutableBufferPointer {
      (buffer: inout UnsafeMutableBufferPointer<UInt128>) throws(CryptographyError) in
      try apply(UnsafeMutableRawBufferPointer(buffer))
    }
    for index in numbers.indices { numbers[index] = numbers[index].bigEndian }
  }

  /// Replaces each image by its original number.
  public func invert(_ numbers: inout [UInt128]) throws(CryptographyError) {
    for index in numbers.indices { numbers[index] = numbers[index].bigEndian }
    try numbers.withUnsafeMutableBufferPointer {
      (buffer: inout UnsafeMutableBufferPointer<UInt128>) throws(CryptographyError) in
      try invert(UnsafeMutableRawBufferPointer(buffer))
    }
    for index in numbers.indices { numbers[index] = numbers[index].bigEndian }
  }

  private func update(
    _ blocks: UnsafeMutableRawBufferPointer,
    _ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int32>, Int32) -> Int32
  ) throws(CryptographyError) {
    guard blocks.count % Self.blockBytes == 0, let length = Int32(exactly: blocks.count) else {
      throw .invalidLength("a row of blocks")
    }
    guard length > 0, let start = blocks.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
    var written: Int32 = 0
    guard body(start, &written, length) == 1, written == length else { throw .unavailable("AES-128") }
  }
}
