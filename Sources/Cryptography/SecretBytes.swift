internal import CCrypto

/// Key material with a single owner. It is not copied by accident, and is overwritten at the end.
public struct SecretBytes: ~Copyable, @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  /// Copies `bytes`; the caller should erase the original.
  public init(copying bytes: Span<UInt8>) {
    self.init(count: bytes.count)
    bytes.withUnsafeBufferPointer { memory.copyMemory(from: UnsafeRawBufferPointer($0)) }
  }

  /// Copies `bytes`; the caller should erase the original.
  public init(copying bytes: [UInt8]) { self.init(copying: bytes.span) }

  /// Creates random bytes.
  ///
  /// - Throws: `unavailable` if the random generator fails.
  public init(random count: Int) throws(CryptographyError) {
    self.init(count: count)
    guard RAND_priv_bytes(memory.baseAddress, Int32(clamping: count)) == 1 else {
      throw .unavailable("random numbers")
    }
  }

  /// Creates zeroes, to be filled within the module.
  init(count: Int) {
    memory = .allocate(byteCount: max(count, 0), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    OPENSSL_cleanse(memory.baseAddress, memory.count)
    memory.deallocate()
  }

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Lends the bytes to `body`.
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  func fill<Failure: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    try body(memory)
  }
}
