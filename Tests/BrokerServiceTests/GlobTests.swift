import Broker
import Limits
import Testing

@testable import BrokerService

@Suite struct GlobTests {
  @Test(arguments: [
    ("a.jpg", "a.jpg", true), ("a.jpg", "b.jpg", false), ("*.jpg", "a.jpg", true), ("*.jpg", "trips/a.jpg", false),
    ("**.jpg", "trips/a.jpg", true), ("**/a.jpg", "a.jpg", true), ("**/a.jpg", "trips/2024/a.jpg", true),
    ("**/a.jpg", "ba.jpg", false), ("trips/**", "trips/2024/a.jpg", true), ("trips/**", "other/a.jpg", false),
    ("trips/**/a.jpg", "trips/a.jpg", true), ("?.jpg", "é.jpg", true), ("??.jpg", "é.jpg", false), ("?", "/", false),
    ("Île*/*", "Île-de-Ré/a.jpg", true), ("*", "", true), ("**", "", true), ("**/", "a/", true),
    ("[ab].jpg", "a.jpg", false),
    ("Genève.jpg", "Gene\u{300}ve.jpg", true), ("Gene\u{300}ve.*", "Genève.jpg", true),
    ("Gen?ve.jpg", "Gene\u{300}ve.jpg", true),
    ("Geneve.jpg", "Gene\u{300}ve.jpg", false), ("Gen*/*", "Gene\u{300}ve/a.jpg", true),
    ("*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
  ])
  func `R146 a pattern matches names and folders`(pattern: String, path: String, isMatch: Bool) throws {
    #expect(try Glob(pattern).matches(path) == isMatch)
  }

  @Test func `an empty pattern and one over the limit are refused`() throws {
    _ = try Glob(String(repeating: "a", count: BrokerLimits.globBytes))
    #expect(throws: CallFailure.self) { try Glob("") }
    #expect(throws: CallFailure.self) { try Glob(String(repeating: "a", count: BrokerLimits.globBytes + 1)) }
  }

  @Test func `a pattern with too many wildcards is refused with the limit`() throws {
    let most = BrokerLimits.globWildcards
    _ = try Glob(String(repeating: "*a", count: most))
    for over in [
      String(repeating: "*a", count: most + 1), String(repeating: "?", count: most + 1),
      String(repeating: "**a", count: 341),
    ] {
      let failure = #expect(throws: CallFailure.self) { try Glob(over) }
      guard case .broker(let error) = failure else {
        Issue.record("\(over): \(String(describing: failure))")
        continue
      }
      #expect(error.code == .refused && error.message.contains("\(most)"))
    }
  }

  @Test func `redundant wildcards count as one`() throws {
    #expect(try Glob(String(repeating: "*", count: BrokerLimits.globBytes)).matches("trips/a.jpg"))
    let folders = try Glob(String(repeating: "**/", count: 341) + "a")
    #expect(folders.matches("a") && folders.matches("trips/a") && !folders.matches("ba"))
  }

  @Test func `matching time is bounded by path length times pattern words, whatever the stars`() throws {
    let most = BrokerLimits.globWildcards
    let path = String(repeating: String(repeating: "a", count: 200) + "/", count: 10) + "photo.jpg"
    for unit in ["**a", "*a", "**/a/", "?", "**?"] {
      let count = unit == "**?" ? most / 2 : most
      let pattern = String(repeating: unit, count: min(count, BrokerLimits.globBytes / unit.count))
      let glob = try Glob(pattern)
      #expect(glob.words <= BrokerLimits.globBytes / 64 + 1)
      var steps = 0
      _ = glob.matches(path, steps: &steps)
      #expect((1...(path.unicodeScalars.count + 1) * glob.words).contains(steps), "\(unit): \(steps)")
    }
    #expect(try Glob(String(repeating: "**a", count: most - 1) + "**").matches(path))
  }

  /// Lengths around the border of a word.
  @Test(arguments: 55...75) func `long patterns match like short ones`(length: Int) throws {
    let name = String(repeating: "b", count: length)
    let folders = String(repeating: "b/", count: length / 2)
    #expect(try Glob(name + "*a").matches(name + "cca"))
    #expect(try !Glob(name + "*a").matches(name + "c/a"))
    #expect(try Glob(name + "**a").matches(name + "c/a"))
    #expect(try Glob(name + "?a*").matches(name + "éa"))
    for end in ["a", "*a", "*"] {
      let glob = try Glob(folders + "**/" + end)
      #expect(glob.matches(folders + "a") && glob.matches(folders + "c/d/a"), "\(end)")
      #expect(glob.matches(folders + "c/da") == (end != "a") && !glob.matches(name), "\(end)")
    }
  }
}
