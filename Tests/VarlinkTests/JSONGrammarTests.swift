import Limits
import TestSupport
import Testing
import Varlink

/// Our own cases in the categories of JSONTestSuite: must accept, must refuse, and our decision
/// where the standard leaves it open.
struct JSONGrammarTests {

  @Test(arguments: [
    "null", " true ", "false", "0", "-0", "-1", "10", "1.5", "-0.0", "1e5", "1E+5", "1e-5", "0e1", "0.0e-0",
    "9223372036854775807", "-9223372036854775808", "\"\"", "\"a\"", "[]", "[ ]", "{}", "{ }", "[1]", "[1,2]", "[1 , 2]",
    "[[],[]]", "[null,true,false]", #"{"a":1}"#, #"{"a":{"b":[]}}"#, #"{"":0}"#, #"{"a":1,"b":2}"#,
    "\t\r\n [\n1\n]\n ", #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9""#, #""\uD834\udd1E""#, "\"\u{7F}\"", "\"é\"",
    "\"\u{800}\"", "\"\u{FFFD}\"", "\"\u{FFFE}\u{FFFF}\"", "\"\u{10000}\u{10FFFF}\"", #""\uFFFE""#,
    #"["\u0061\u30af"]"#,
    #""http:\/\/a""#, "\"\u{2028}\u{2029}\"", "1.7976931348623157e308", "5e-324", "[1e-400]",
    "123456789012345678901234567890",
    "0.1234567890123456789012345678901234567890", #"{"e\u0301":1,"é":2}"#,
  ])
  func `a text of the grammar is accepted`(text: String) throws {
    _ = try JSON.parse(text)
    try JSON.skip(Array(text.utf8))
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "True", "FALSE", "NaN", "Infinity", "-Infinity", "+1", "-", "01", "-01", "00", "1.", ".5",
    "-.5", "1e", "1e+", "1e-", "1.e5", "0x10", "1_0", "1 2", "--1", "1-", "1e5.5", "１", "[", "]", "[1", "[1,", "[,1]",
    "[1,]", "[1,,2]", "[1 2]", "[1;2]", "{", "}", "{1:2}", "{a:1}", "{'a':1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
    #"{"a":1,,"b":2}"#, #"{,"a":1}"#, #"{"a" 1}"#, #"{"a"::1}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, "[1}", #"{"a":1"#,
    "\"", "\"a", "'a'", "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{1F}\"", #""\a""#, #""\x41""#, #""\u12""#, #""\u12G4""#,
    #""\u+123""#, #""\U0041""#, #""\"#, #""\u"#, #""\uD800""#, #""\uDC00""#, #""\uD800\u0041""#, #""\uD800\n""#,
    #""\uD800\uD800""#, #""\uDC00\uD800""#, "\u{FEFF}{}", "{}\u{FEFF}", "{}{}", "[]]", "{} x", "1 //", "/**/1", "# 1",
    "\u{A0}1", "\u{2003}[]", "\u{C}1", "1\u{0}", "\u{0}", "é", "*", "[*]", "[a]", "truefalse", "\"a\"b",
    #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"a":{"b":1,"b":1}}"#, #"[{"":0,"":0}]"#, "1e400", "-1e400", "[1e309]",
    #"{"a":1e999999999999999999}"#,
  ])
  func `a text outside the grammar is refused`(text: String) {
    #expect(throws: VarlinkError.self) { try JSON.parse(text) }
    #expect(throws: VarlinkError.self) { try JSON.skip(Array(text.utf8)) }
  }

  @Test(
    arguments: [
      [0x22, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xC1, 0x81, 0x22], [0x22, 0xE0, 0x80, 0xAF, 0x22],
      [0x22, 0xE0, 0x9F, 0xBF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xED, 0xBF, 0xBF, 0x22],
      [0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
      [0x22, 0xFF, 0x22], [0x22, 0xFE, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC3], [0x22, 0xE2, 0x82, 0x22],
      [0x22, 0xF0, 0x9F, 0x98, 0x22], [0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22], [0x22, 0xE9, 0x22],
      [0xFF, 0xFE, 0x31, 0x00], [0xFE, 0xFF, 0x00, 0x31], [0x31, 0x00], [0x00, 0x31], [0xEF, 0xBB, 0xBF, 0x31],
      [0x5B, 0x00, 0x5D, 0x00], [0xC3, 0xA9], [0x80],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    #expect(throws: VarlinkError.self) { try JSON.parse(bytes) }
    #expect(throws: VarlinkError.self) { try JSON.skip(bytes) }
    // At every alignment to the reader's words of eight bytes.
    for padding in 1..<9 where bytes.first == 0x22 {
      let shifted = [0x22] + [UInt8](repeating: 0x61, count: padding) + bytes.dropFirst()
      #expect(throws: VarlinkError.self) { try JSON.parse(shifted) }
    }
  }

  @Test func `every byte in a string is judged alike at every alignment`() {
    for byte in UInt8.min...UInt8.max {
      let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
      for padding in 0..<17 {
        let filler = [UInt8](repeating: 0x61, count: padding)
        let bytes = [0x22] + filler + [byte] + [UInt8](repeating: 0x7A, count: 9) + [0x22]
        #expect(((try? JSON.skip(bytes)) != nil) == isPlain, "byte \(byte) after \(padding)")
      }
    }
  }

  @Test func `nesting of 32 is accepted and of 33 refused`() throws {
    for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
      let inner = open == "[" ? "" : "0"
      func text(_ depth: Int) -> [UInt8] {
        Array((String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)).utf8)
      }
      _ = try JSON.parse(text(WireLimits.depth))
      try JSON.skip(text(WireLimits.depth))
      expectFailure(.depthExceeded) { try JSON.parse(text(WireLimits.depth + 1)) }
      expectFailure(.depthExceeded) { try JSON.skip(text(WireLimits.depth + 1)) }
    }
    #expect(throws: VarlinkError.self) { try JSON.parse(String(repeating: "[", count: 100_000)) }
    // Only open levels count.
    _ = try JSON.parse("[" + Array(repeating: "[]", count: 100).joined(separator: ",") + "]")
  }

  @Test func `a message of 1 MiB is accepted and one byte more refused`() throws {
    func text(_ length: Int) -> [UInt8] { [0x31] + [UInt8](repeating: 0x20, count: length - 1) }
    _ = try JSON.parse(text(WireLimits.frameBytes))
    expectFailure(.limitExceeded) { try JSON.parse(text(WireLimits.frameBytes + 1)) }
  }

  @Test func `arrays, strings and numbers have limits`() throws {
    let rules = DecodingRules(rejectsUnknownFields: true, arrayLimit: 3, stringLimitBytes: 4)
    _ = try JSON.parse(Array("[1,2,3]".utf8), rules: rules)
    expectFailure(.limitExceeded) { try JSON.parse(Array("[1,2,3,4]".utf8), rules: rules) }
    _ = try JSON.parse(Array("\"abcd\"".utf8), rules: rules)
    expectFailure(.limitExceeded) { try JSON.parse(Array("\"abcde\"".utf8), rules: rules) }
    _ = try [String: Int64](message: Array(#"{"a":1,"b":1,"c":1}"#.utf8), rules: rules)
    expectFailure(.limitExceeded) {
      try [String: Int64](message: Array(#"{"a":1,"b":1,"c":1,"d":1}"#.utf8), rules: rules)
    }
    let fraction = "0." + String(repeating: "1", count: WireLimits.numberBytes - 2)
    _ = try JSON.parse(fraction)
    expectFailure(.limitExceeded) { try JSON.parse(fraction + "1") }
  }

  @Test(arguments: [2, 8, 9, 24, 25, 26, 300])
  func `a repeated key is found among any number of keys`(count: Int) throws {
    let keys = (0..<count).map { #""k\#($0)":0"# }
    try JSON.skip(Array("{\(keys.joined(separator: ","))}".utf8))
    for repeated in [0, count / 2, count - 1] {
      for spelling in [#""k\#(repeated)":1"#, #""\u006b\#(repeated)":1"#] {
        let text = Array("{\(keys.joined(separator: ",")),\(spelling)}".utf8)
        expectFailure(.duplicateKey) { try JSON.skip(text) }
        expectFailure(.duplicateKey) { try JSON.parse(text) }
      }
    }
  }

  @Test func `nested objects with escaped keys cost linear time`() {
    // An earlier reader read each level twice: 2^32 steps.
    let text = String(repeating: #"{"\u0061":"#, count: 31) + "0" + String(repeating: "}", count: 31)
    let duration = ContinuousClock().measure { _ = try? JSON.skip(Array(text.utf8)) }
    #expect(duration < .seconds(20))
  }

  @Test func `mutated messages are refused or read, and never fatal`() {
    var random = SeededGenerator(1)
    let seed = Array(
      #"{"method":"a.B.C","parameters":{"x":[1,-2.5e3,"é\u00e9\ud83d\ude00",null,true],"y":{"z":{}}}}"#.utf8)
    for _ in 0..<20_000 {
      var bytes = seed
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
        default: bytes.removeSubrange(index...)
        }
        if bytes.isEmpty { break }
      }
      let value = try? JSON.parse(bytes)
      #expect((value != nil) == ((try? JSON.skip(bytes)) != nil))
      _ = try? Call(message: bytes)
      if let value { #expect((try? JSON.parse(value.jsonBytes)) == value) }
    }
  }
}
