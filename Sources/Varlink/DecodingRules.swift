public import Limits

/// What a reader accepts beyond the grammar of JSON, which it always enforces.
public struct DecodingRules: Sendable {
  /// Whether a field that the interface does not declare, or a number outside of the range that it
  /// says, is an error; otherwise they are a newer interface's: the field is checked and passed
  /// over, the number taken.
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
  /// What a server reads of a call before it knows the method. How long an array may be is asked
  /// where its parameter is read, so that the answer can name the parameter; until then the length
  /// of the message bounds it.
  static let envelope = DecodingRules(rejectsUnknownFields: true, arrayLimit: .max)
  /// A client may be older than its server: a field that it does not know is a newer interface's.
  public static let client = DecodingRules(rejectsUnknownFields: false)
}
