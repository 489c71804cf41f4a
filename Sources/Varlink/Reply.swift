/// A received reply. Its parameters stay unparsed until `decode` reads them.
public struct Reply: Sendable {
  /// The error's qualified name; the parameters are then the error's. Nil: the call succeeded.
  public let error: String?
  /// Whether another reply to the same call follows.
  public let continues: Bool
  private let message: [UInt8]
  private let parameters: Range<Int>?

  /// Parses a message.
  ///
  /// - Throws: `protocolViolation` or a JSON error; close the connection.
  public init(message: [UInt8]) throws(VarlinkError) {
    var error: String?
    var parameters: Range<Int>?
    var continues = false
    var reader = try JSONReader(message.span, rules: .client)
    var scope = try reader.beginObject()
    while try reader.nextKey(&scope) {
      if reader.matches("parameters") {
        try reader.mark(0, &scope)
        parameters = try reader.envelopeObject()
      } else if reader.matches("error") {
        error = try reader.field("error", 1, &scope, as: String?.self)
      } else if reader.matches("continues") {
        continues = try reader.field("continues", 2, &scope, as: Bool.self)
      } else {
        try reader.unknownField(&scope)
      }
    }
    try reader.finish()
    if error != nil && continues { throw .protocolViolation("a reply is an error and continues") }
    self.error = error
    self.continues = continues
    self.message = message
    self.parameters = parameters
  }

  /// Decodes the parameters; absent ones count as `{}`.
  public func decode<Parameters: VarlinkDecodable>(
    _ type: Parameters.Type = Parameters.self, rules: DecodingRules = .client
  ) throws(VarlinkError) -> Parameters {
    try message.decode(parameters, as: type, rules: rules)
  }

  /// The unparsed parameters.
  public var rawParameters: [UInt8] { parameters.map { [UInt8](message[$0]) } ?? Array("{}".utf8) }
}
