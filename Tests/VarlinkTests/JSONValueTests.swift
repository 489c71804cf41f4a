import Foundation
import TestSupport
import Testing
import Varlink

struct JSONValueTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("999999999999999999", 999_999_999_999_999_999),
    ] as [(String, Int64)])
  func `integers are exact`(text: String, value: Int64) throws {
    #expect(try Int64(message: Array(text.utf8), rules: .server) == value)
    #expect(try JSON.parse(text) == .integer(value))
  }

  @Test(arguments: ["9223372036854775808", "-9223372036854775809", "99999999999999999999999"])
  func `an integer beyond 64 bits is a Double for a caller of any number and an error for one of integers`(
    text: String
  ) throws {
    expectFailure(.numberOutOfRange) { try Int64(message: Array(text.utf8), rules: .server) }
    #expect(try JSON.parse(text) == .double(#require(Double(text))))
  }

  @Test(arguments: ["1.0", "1e2", "1E2", "true", "null", "\"1\"", "[]", "{}"])
  func `an integer is not read from any other type`(text: String) {
    expectFailure(.wrongType) { try Int64(message: Array(text.utf8), rules: .server) }
  }

  @Test(arguments: ["0.1", "-0.0", "5e-324", "1.7976931348623157e308", "123", "1e-400", "0.30000000000000004"])
  func `a Double is the nearest one and is written so that it reads back the same`(text: String) throws {
    let value = try Double(message: Array(text.utf8), rules: .server)
    #expect(value == Double(text))
    #expect(try Double(message: value.jsonBytes, rules: .server).bitPattern == value.bitPattern)
  }

  @Test func `numbers are written unchanged`() {
    #expect(JSON.text(Int64.min) == "-9223372036854775808")
    #expect(JSON.text(Int64.max) == "9223372036854775807")
    #expect(JSON.text([0, -1, 9, 10, 99, 100] as [Int64]) == "[0,-1,9,10,99,100]")
    #expect(JSON.text(Double.infinity) == "null" && JSON.text(Double.nan) == "null")
    for power in 0..<19 {
      var value: Int64 = 1
      for _ in 0..<power { value *= 10 }
      #expect(JSON.text(value) == "\(value)" && JSON.text(value - 1) == "\(value - 1)")
    }
  }

  @Test func `strings are escaped only as required`() throws {
    let text = "a\"b\\c/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}é\u{1F600}"
    #expect(JSON.text(text) == "\"a\\\"b\\\\c/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7F}é\u{1F600}\"")
    for padding in 0..<17 {
      let padded = String(repeating: "x", count: padding) + text + String(repeating: "y", count: padding)
      #expect(try String(message: padded.jsonBytes, rules: .server) == padded)
    }
  }

  @Test func `escapes are decoded`() throws {
    #expect(
      try JSON.parse(#""\u0041\u00e9\u30AF\ud83d\ude00\/\b\f\n\r\t\"\\""#)
        == .string("Aéク\u{1F600}/\u{8}\u{C}\n\r\t\"\\"))
  }

  @Test func `base64 is written without an intermediate string`() throws {
    var writer = JSONWriter(capacity: 0)
    writer.beginArray()
    let bytes = [UInt8](0...255)
    for length in [0, 1, 2, 3, 4, 255, 256] {
      bytes.prefix(length).withUnsafeBytes { writer.write(base64: $0) }
    }
    writer.endArray()
    guard case .array(let values) = try JSON.parse(writer.bytes) else { return #expect(Bool(false)) }
    #expect(values.count == 7)
    for (index, length) in [0, 1, 2, 3, 4, 255, 256].enumerated() {
      #expect(values[index] == .string(Data(bytes.prefix(length)).base64EncodedString()))
    }
  }

  @Test func `an object keeps its order and removes keys set to nil`() throws {
    guard case .object(var object) = try JSON.parse(#"{"b":1,"a":[],"c":{"x":null}}"#) else {
      return #expect(Bool(false))
    }
    #expect(JSON.text(object) == #"{"b":1,"a":[],"c":{"x":null}}"#)
    object["a"] = nil
    object["b"] = .bool(true)
    object["é"] = .integer(1)
    #expect(object["e\u{301}"] == nil)
    #expect(JSON.text(object) == #"{"b":true,"c":{"x":null},"é":1}"#)
  }

  @Test func `a map is written in the order of its keys' bytes`() throws {
    let map: [String: Int64] = ["b": 2, "a": 1, "é": 3, "B": 0]
    #expect(JSON.text(map) == #"{"B":0,"a":1,"b":2,"é":3}"#)
    #expect(try [String: Int64](message: map.jsonBytes, rules: .server) == map)
  }

  @Test func `text accepted here and by Foundation means the same to both`() throws {
    var random = SeededGenerator(7)
    var compared = 0
    for _ in 0..<3_000 {
      let value = Self.value(depth: 0, &random)
      let bytes = value.jsonBytes
      let theirs = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      #expect(try JSON.parse(bytes) == value)
      #expect(Self.isSame(value, theirs), "\(String(decoding: bytes, as: UTF8.self))")
      let rewritten = try JSONSerialization.data(withJSONObject: theirs, options: .fragmentsAllowed)
      #expect(Self.isSame(try JSON.parse([UInt8](rewritten)), theirs))
      compared += 1
    }
    #expect(compared == 3_000)
  }

  private static func value(depth: Int, _ random: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 3 ? 5 : 7), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2: return .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random))
    // Foundation converts through a decimal and loses the last bit of longer fractions.
    case 3: return .double(Double(Int64.random(in: -1_000_000...1_000_000, using: &random)) / 8 + 0.0625)
    case 4: return .string(text(&random))
    case 5: return .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth + 1, &random) })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0..<5, using: &random) { object[text(&random)] = value(depth: depth + 1, &random) }
      return .object(object)
    }
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    let alphabet = ["a", "b", "\"", "\\", "/", "\n", "\u{1}", "é", "ク", "\u{1F600}", " ", "0"]
    return (0..<Int.random(in: 0..<20, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }
      .joined()
  }

  private static func isSame(_ ours: JSONValue, _ theirs: Any) -> Bool {
    switch ours {
    case .null: return theirs is NSNull
    case .bool(let value): return (theirs as? NSNumber)?.boolValue == value
    case .integer(let value): return (theirs as? NSNumber)?.int64Value == value
    case .double(let value): return (theirs as? NSNumber)?.doubleValue == value
    case .string(let value): return (theirs as? String) == value
    case .array(let values):
      guard let others = theirs as? [Any], others.count == values.count else { return false }
      return zip(values, others).allSatisfy { isSame($0, $1) }
    case .object(let object):
      guard let others = theirs as? [String: Any], others.count == object.entries.count else { return false }
      return object.entries.allSatisfy { entry in others[entry.key].map { isSame(entry.value, $0) } ?? false }
    }
  }
}
