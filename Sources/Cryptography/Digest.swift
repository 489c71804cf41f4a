/// A SHA-256 digest or an HMAC-SHA256, of 256 bits. Comparison takes constant time.
public struct Digest: Hashable, Sendable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// The size of a digest in bytes.
  public static let byteCount = 32

  init() {}

  /// Creates a digest from its bytes; nil unless there are exactly 32.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    bytes.withUnsafeBufferPointer { source in
      withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
    }
  }

  /// Creates a digest from its bytes; nil unless there are exactly 32.
  public init?(_ bytes: [UInt8]) { self.init(bytes.span) }

  /// A copy of the bytes.
  public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// Lends the bytes to `body`.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try Swift.withUnsafeBytes(of: words, body)
  }

  mutating func withUnsafeMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try Swift.withUnsafeMutableBytes(of: &words, body)
  }

  public static func == (left: Self, right: Self) -> Bool {
    let difference =
      (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1) | (left.words.2 ^ right.words.2)
      | (left.words.3 ^ right.words.3)
    return difference == 0
  }

  public func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}
