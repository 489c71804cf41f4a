import Testing
import Varlink

enum JSON {
  static func parse(_ text: String) throws(VarlinkError) -> JSONValue { try parse(Array(text.utf8)) }

  static func parse(_ bytes: [UInt8], rules: DecodingRules = .server) throws(VarlinkError) -> JSONValue {
    try JSONValue(message: bytes, rules: rules)
  }

  /// Skips a value, as a decoder skips the value of an unknown field.
  static func skip(_ bytes: [UInt8]) throws(VarlinkError) {
    var reader = try JSONReader(bytes.span, rules: .server)
    try reader.skipValue()
    try reader.finish()
  }

  static func text<Value: VarlinkEncodable>(_ value: Value) -> String {
    String(decoding: value.jsonBytes, as: UTF8.self)
  }
}

func expectFailure<Result>(
  _ code: VarlinkError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
  let error = #expect(throws: VarlinkError.self, sourceLocation: sourceLocation) { _ = try body() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}
