/// A reply as it arrived at a client: the envelope is read, the parameters wait to be read.
public struct Reply: Sendable {
  /// The qualified name of the error, when the call failed; the parameters are then the error's.
  public let error: String?
  /// Another reply to the same call follows.
  public let continues: Bool
  private let message: [UInt8]
  private let parameters: Range<Int>?

  /// Reads a message.
  ///
  /// - Throws: `protocolViolation` or a JSON error; either ends the connection.
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

  /// Reads the parameters; a reply without them has those of `{}`.
  public func decode<Parameters: VarlinkDecodable>(
    _ type: Parameters.Type = Parameters.self, rules: DecodingRules = .client
  ) throws(VarlinkError) -> Parameters {
    try message.decode(parameters, as: type, rules: rules)
  }

  /// The parameters as they arrived.
  public var rawParameters: [UInt8] { parameters.map { [UInt8](message[$0]) } ?? Array("{}".utf8) }
}
