/// 256 bits: a SHA-256 digest or an HMAC-SHA256. Comparing two takes the same time wherever they differ.
public struct Digest: Hashable, Sendable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// How many bytes a digest has.
  public static let byteCount = 32

  /// All zeroes, to be filled.
  init() {}

  /// The digest with these bytes; nil unless there are exactly 32.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    bytes.withUnsafeBufferPointer { source in
      withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
    }
  }

  /// The digest with these bytes; nil unless there are exactly 32.
  public init?(_ bytes: [UInt8]) { self.init(bytes.span) }

  /// A copy of the bytes.
  public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// Lends the bytes for as long as `body` runs.
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
