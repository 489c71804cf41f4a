import Testing

@testable import BrokerService

/// Compares patterns with the simplest possible matcher, which tries everything.
struct GlobModelTests {
  /// Treats `**/` at the start of a name as nothing, or anything up to a slash.
  private static func matches(_ pattern: Substring, _ path: Substring, atStart: Bool) -> Bool {
    guard let first = pattern.first else { return path.isEmpty }
    let rest = pattern.dropFirst()
    func tails(_ stops: (Character) -> Bool) -> [Substring] {
      var tails = [path]
      var tail = path
      while let next = tail.popFirst(), !stops(next) { tails.append(tail) }
      return tails
    }
    if first == "*", rest.first == "*" {
      let after = rest.dropFirst()
      if atStart, after.first == "/", matches(after.dropFirst(), path, atStart: true) { return true }
      return tails { _ in false }.contains { matches(after, $0, atStart: false) }
    }
    if first == "*" { return tails { $0 == "/" }.contains { matches(rest, $0, atStart: false) } }
    guard let next = path.first, first == "?" ? next != "/" : next == first else { return false }
    return matches(rest, path.dropFirst(), atStart: first == "/")
  }

  @Test func `R146 any pattern matches as an exhaustive search does`() throws {
    var state: UInt64 = 7
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    func text(_ alphabet: [String], _ length: Int) -> String {
      (0..<length).map { _ in alphabet[random(alphabet.count)] }.joined()
    }
    var matched = 0
    for _ in 0..<20_000 {
      let pattern = text(["a", "é", "/", "*", "**", "**/", "?", "📷"], 1 + random(6))
      let path = text(["a", "a", "é", "e\u{301}", "/", "📷"], random(7))
      let expected = Self.matches(pattern[...], path[...], atStart: true)
      if expected { matched += 1 }
      let found = try Glob(pattern).matches(path)
      if found != expected { Issue.record("\(pattern) on \(path): \(found)") }
    }
    #expect(matched > 1_000)
  }

  @Test func `a pattern of many stars takes bounded time`() throws {
    let glob = try Glob(String(repeating: "*a", count: 200) + "b")
    #expect(!glob.matches(String(repeating: "a", count: 1_000)))
  }
}
