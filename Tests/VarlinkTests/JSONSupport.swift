import Testing
import Varlink

enum JSON {
  static func parse(_ text: String) throws(VarlinkError) -> JSONValue { try parse(Array(text.utf8)) }

  static func parse(_ bytes: [UInt8], rules: DecodingRules = .server) throws(VarlinkError) -> JSONValue {
    try JSONValue(message: bytes, rules: rules)
  }

  /// Passes over a value as a reader of other fields does.
  static func skip(_ bytes: [UInt8]) throws(VarlinkError) {
    var reader = try JSONReader(bytes.span, rules: .server)
    try reader.skipValue()
    try reader.finish()
  }

  static func text<Value: VarlinkEncodable>(_ value: Value) -> String {
    String(decoding: value.jsonBytes, as: UTF8.self)
  }
}

/// A generator with a fixed seed (SplitMix64), so that a failure can be repeated.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

func expectFailure<Result>(
  _ code: VarlinkError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
  let error = #expect(throws: VarlinkError.self, sourceLocation: sourceLocation) { _ = try body() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}
