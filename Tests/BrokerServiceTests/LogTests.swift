import Testing

@testable import BrokerService

struct LogTests {
  @Test(arguments: [
    ("plain", "plain"), ("a/b-c:1", "a/b-c:1"), ("", "\"\""), ("two words", "\"two words\""), ("a=b", "\"a=b\""),
    ("say \"no\"", #""say \"no\"""#), (#"a\b"#, #""a\\b""#), ("a\nb", #""a\u{a}b""#), ("\u{1b}[31m", #""\u{1b}[31m""#),
    ("\u{85}", #""\u{85}""#), ("\u{9b}31m", #""\u{9b}31m""#), ("\u{7f}", #""\u{7f}""#),
    ("a\u{202e}b", #""a\u{202e}b""#),
    ("\u{2028}", #""\u{2028}""#), ("\u{feff}", #""\u{feff}""#), ("\u{61c}", #""\u{61c}""#), ("Île", "\"Île\""),
    ("📷", "\"📷\""),
  ])
  func `a value is one word on one line and shows its contents`(value: String, written: String) {
    #expect(Log.quoted(value) == written)
  }

  @Test func `no scalar ends a line, reverses text or ends its quotes`() {
    for number in UInt32(0)...0x2fff {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let text = Log.quoted("a\(scalar)b")
      #expect(
        !text.contains { $0.isNewline } && !text.utf8.contains { $0 < 0x20 || $0 == 0x7f },
        "U+\(String(number, radix: 16))")
      if text.hasPrefix("\"") {
        #expect(text.hasSuffix("\"") && !text.dropFirst().dropLast().replacing("\\\"", with: "").contains("\""))
      }
    }
  }

  @Test(arguments: ["a", "é", " "]) func `a long value is truncated`(_ one: String) {
    #expect(Log.quoted(String(repeating: one, count: 1_000_000)).unicodeScalars.count <= 514)
  }
}
