/// A type that one JSON value can be read into.
public protocol VarlinkDecodable {
  /// Reads exactly one value.
  ///
  /// - Throws: what is wrong with the value; `field` names the place within it.
  init(from reader: inout JSONReader) throws(VarlinkError)
}

extension VarlinkDecodable {
  /// Reads a whole message that holds one value and nothing else.
  public init(message: Span<UInt8>, rules: DecodingRules) throws(VarlinkError) {
    var reader = try JSONReader(message, rules: rules)
    self = try Self(from: &reader)
    try reader.finish()
  }

  /// Reads a whole message that holds one value and nothing else.
  public init(message: [UInt8], rules: DecodingRules) throws(VarlinkError) {
    self = try Self(message: message.span, rules: rules)
  }
}
