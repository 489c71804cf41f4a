internal import CCrypto

/// Key material: one owner, never copied by accident, overwritten when it goes away.
public struct SecretBytes: ~Copyable, @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  /// A copy of `bytes`; the original stays the caller's to erase.
  public init(copying bytes: Span<UInt8>) {
    self.init(count: bytes.count)
    bytes.withUnsafeBufferPointer { memory.copyMemory(from: UnsafeRawBufferPointer($0)) }
  }

  /// A copy of `bytes`; the original stays the caller's to erase.
  public init(copying bytes: [UInt8]) { self.init(copying: bytes.span) }

  /// Fresh random bytes.
  ///
  /// - Throws: `unavailable` when the random generator fails.
  public init(random count: Int) throws(CryptographyError) {
    self.init(count: count)
    guard RAND_priv_bytes(memory.baseAddress, Int32(clamping: count)) == 1 else {
      throw .unavailable("random numbers")
    }
  }

  /// Zeroes, to be filled within the module.
  init(count: Int) {
    memory = .allocate(byteCount: max(count, 0), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    OPENSSL_cleanse(memory.baseAddress, memory.count)
    memory.deallocate()
  }

  /// How many bytes there are.
  public var count: Int { memory.count }

  /// Lends the bytes for as long as `body` runs.
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  func fill<Failure: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    try body(memory)
  }
}
