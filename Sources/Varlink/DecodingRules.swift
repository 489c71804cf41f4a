public import Limits

/// A reader's limits, and its tolerance for newer interfaces. The JSON grammar is always enforced.
public struct DecodingRules: Sendable {
  /// Whether undeclared fields, and numbers outside their declared range, are errors. If not, they
  /// count as a newer interface's: the field is checked and skipped, the number accepted.
  public var rejectsUnknownFields: Bool
  /// The most elements of one array, or entries of one map.
  public var arrayLimit: Int
  /// The longest string in bytes of UTF-8.
  public var stringLimitBytes: Int
  /// The longest message in bytes.
  public var messageLimitBytes: Int

  /// Rules with the given limits; the defaults are those of `WireLimits`.
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

  /// Rules for servers: an unknown field is the caller's mistake.
  public static let server = DecodingRules(rejectsUnknownFields: true)
  /// Rules for a call's envelope, whose method is not known yet. An array's limit applies later,
  /// when its parameter is decoded, so that the error can name the parameter.
  static let envelope = DecodingRules(rejectsUnknownFields: true, arrayLimit: .max)
  /// Rules for clients: an unknown field is a newer server's.
  public static let client = DecodingRules(rejectsUnknownFields: false)
}
