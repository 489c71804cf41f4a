import Testing

@testable import BrokerService

@Suite struct GlobTests {
  @Test(arguments: [
    ("a.jpg", "a.jpg", true), ("a.jpg", "b.jpg", false), ("*.jpg", "a.jpg", true), ("*.jpg", "trips/a.jpg", false),
    ("**.jpg", "trips/a.jpg", true), ("**/a.jpg", "a.jpg", true), ("**/a.jpg", "trips/2024/a.jpg", true),
    ("**/a.jpg", "ba.jpg", false), ("trips/**", "trips/2024/a.jpg", true), ("trips/**", "other/a.jpg", false),
    ("trips/**/a.jpg", "trips/a.jpg", true), ("?.jpg", "é.jpg", true), ("??.jpg", "é.jpg", false), ("?", "/", false),
    ("Île*/*", "Île-de-Ré/a.jpg", true), ("*", "", true), ("**", "", true), ("**/", "a/", true), ("[ab].jpg", "a.jpg", false),
    ("*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
  ])
  func `R146 a pattern matches names and folders`(pattern: String, path: String, isMatch: Bool) throws {
    #expect(try Glob(pattern).matches(path) == isMatch)
  }

  @Test func `an empty pattern and one over the limit are refused`() throws {
    _ = try Glob(String(repeating: "a", count: Glob.limitBytes))
    #expect(throws: CallFailure.self) { try Glob("") }
    #expect(throws: CallFailure.self) { try Glob(String(repeating: "a", count: Glob.limitBytes + 1)) }
  }
}
