/// What a reader accepts beyond the grammar of JSON, which it always enforces.
public struct DecodingRules: Sendable {
  /// Whether a field that the interface does not declare is an error; otherwise it is checked and passed over.
  public var rejectsUnknownFields: Bool
  /// The most elements of one array, and entries of one map.
  public var arrayLimit: Int
  /// The longest string, in bytes of UTF-8.
  public var stringLimitBytes: Int
  /// The longest message, in bytes.
  public var messageLimitBytes: Int

  /// Rules with the given bounds; the defaults are those of `WireLimits`.
  public init(
    rejectsUnknownFields: Bool,
    arrayLimit: Int = WireLimits.arrayLength,
    stringLimitBytes: Int = WireLimits.stringBytes,
    messageLimitBytes: Int = WireLimits.frameBytes
  ) {
    self.rejectsUnknownFields = rejectsUnknownFields
    self.arrayLimit = arrayLimit
    self.stringLimitBytes = stringLimitBytes
    self.messageLimitBytes = messageLimitBytes
  }

  /// A server knows its interface: a field that it does not know is the caller's mistake.
  public static let server = DecodingRules(rejectsUnknownFields: true)
  /// A client may be older than its server: a field that it does not know is a newer interface's.
  public static let client = DecodingRules(rejectsUnknownFields: false)
}
