/// A received method call. Its parameters stay unparsed until `decode` reads them as the method's
/// type.
public struct Call: Sendable {
  /// The qualified name of the method, such as `org.varlink.service.GetInfo`.
  public let method: String
  /// Whether the caller wants no reply.
  public let oneway: Bool
  /// Whether the caller accepts several replies.
  public let more: Bool
  /// Whether the caller wants to leave Varlink after the reply.
  public let upgrade: Bool
  private let message: [UInt8]
  private let parameters: Range<Int>?

  /// Parses a message.
  ///
  /// - Throws: `protocolViolation` or a JSON error. Close the connection: the peer does not speak
  ///   Varlink.
  public init(message: [UInt8]) throws(VarlinkError) {
    var method: String?
    var parameters: Range<Int>?
    var flags = (oneway: false, more: false, upgrade: false)
    var reader = try JSONReader(message.span, rules: .envelope)
    var scope = try reader.beginObject()
    while try reader.nextKey(&scope) {
      if reader.matches("method") {
        method = try reader.field("method", 0, &scope, as: String.self)
      } else if reader.matches("parameters") {
        try reader.mark(1, &scope)
        parameters = try reader.envelopeObject()
      } else if reader.matches("oneway") {
        flags.oneway = try reader.field("oneway", 2, &scope, as: Bool.self)
      } else if reader.matches("more") {
        flags.more = try reader.field("more", 3, &scope, as: Bool.self)
      } else if reader.matches("upgrade") {
        flags.upgrade = try reader.field("upgrade", 4, &scope, as: Bool.self)
      } else {
        try reader.unknownField(&scope)
      }
    }
    try reader.finish()
    guard let method, !method.isEmpty else { throw .protocolViolation("a call names no method") }
    if flags.oneway && (flags.more || flags.upgrade) {
      throw .protocolViolation("a call wants no reply and says what the reply should be")
    }
    self.method = method
    self.message = message
    self.parameters = parameters
    (oneway, more, upgrade) = (flags.oneway, flags.more, flags.upgrade)
  }

  /// The qualified name of the method's interface; empty when the name has no dot.
  public var interface: Substring { method.lastIndex(of: ".").map { method[..<$0] } ?? "" }

  /// Decodes the parameters; absent ones count as `{}`.
  ///
  /// - Throws: the error in the parameters; `ServiceError.init(_:)` turns it into a reply.
  public func decode<Parameters: VarlinkDecodable>(
    _ type: Parameters.Type = Parameters.self, rules: DecodingRules = .server
  ) throws(VarlinkError) -> Parameters {
    try message.decode(parameters, as: type, rules: rules)
  }

  var messageBytes: Int { message.count }

  /// The unparsed parameters, for a proxy that forwards them.
  public var rawParameters: [UInt8] { parameters.map { [UInt8](message[$0]) } ?? Array("{}".utf8) }
}

extension JSONReader {
  /// Skips the parameters of an envelope; null counts as absent.
  mutating func envelopeObject() throws(VarlinkError) -> Range<Int>? {
    switch try peek() {
    case .object: return try skipValue()
    case .null: return try takeNull() ? nil : 0..<0
    default: throw .protocolViolation("parameters are not an object")
    }
  }
}

extension [UInt8] {
  /// Decodes a value inside a checked message; absent parameters count as `{}`.
  func decode<Value: VarlinkDecodable>(
    _ range: Range<Int>?, as type: Value.Type, rules: DecodingRules
  ) throws(VarlinkError) -> Value {
    guard let range else { return try Value(message: Array("{}".utf8), rules: rules) }
    return try Value(message: span.extracting(range), rules: rules)
  }
}
