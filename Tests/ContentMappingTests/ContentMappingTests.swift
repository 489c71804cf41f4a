import ContentMapping
import PhotoModel
import PluginKit
import Testing

/// Cloud identifiers are equal on every machine for one app, and different for another app (R97,
/// R98, R102, R104).
@Suite struct ContentMappingTests {
  private func names(_ items: [CloudItem], for application: String = "org.example.journal") throws -> [String] {
    // A new object stands for another machine.
    try ContentMapping(options: PluginOptions([:], for: [])).cloudIdentifiers(for: items, application: application).map
    { try #require($0) }
  }

  private func asset(_ byte: UInt8) -> CloudItem { .asset(digest: Array(repeating: byte, count: 32)) }
  private func album(_ title: String, day: Int64 = 20_000, hour: Int64 = 0) -> CloudItem {
    .album(title: title, created: Timestamp(microseconds: (day * 24 + hour) * 3_600_000_000))
  }

  @Test func `R102 a name depends only on application and content, in a fixed form`() throws {
    // Computed with Python's hmac: key b"photobroker content mapping 1 org.example.journal",
    // message b"asset " + bytes 1 to 32.
    let digest = (1...32).map { UInt8($0) }
    #expect(try names([.asset(digest: digest)]) == ["content1-asset-gUL4Oz2OXYbjqcdXK3TInPIFWdgfKZ-LoltFx3uDjsU"])
    #expect(
      try names([album(" Ferien ", day: 20_454)]) == ["content1-album-EiKCiany_F8dPjpM1KZZee_TaQUUn3g9n288PFqQ-Hs"])
  }

  @Test func `R97 equal items have equal names everywhere, and different items different ones`() throws {
    let items = [asset(1), asset(2), album("Walks"), album("Walks", day: 20_001), album("Talks")]
    let first = try names(items)
    #expect(try names(items) == first)
    #expect(Set(first).count == items.count)
    #expect(first.allSatisfy { $0.utf8.count <= 256 && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } })
  }

  @Test func `two applications share no name`() throws {
    let items = [asset(1), album("Walks")]
    #expect(Set(try names(items)).isDisjoint(with: try names(items, for: "org.example.journal2")))
    #expect(Set(try names(items)).isDisjoint(with: try names(items, for: "")))
  }

  @Test(arguments: [
    ("Zürich", "Zu\u{308}rich"), ("ZÜRICH", "zürich"), ("  Walks\n", "walks"), ("\u{212b}ngström", "ångström"),
  ]) func `titles that look alike are one`(_ pair: (String, String)) throws {
    #expect(try names([album(pair.0)]) == names([album(pair.1)]))
  }

  @Test func `the day counts and the hour does not, also before 1970`() throws {
    #expect(try names([album("A", hour: 1)]) == names([album("A", hour: 23)]))
    #expect(try names([album("A", day: -1, hour: 1)]) == names([album("A", day: -1, hour: 23)]))
    #expect(try names([album("A", day: -1, hour: 23)]) != names([album("A", day: 0, hour: 1)]))
    _ = try names([
      .album(title: "", created: Timestamp(microseconds: .min)),
      .album(title: "\u{0}", created: Timestamp(microseconds: .max)),
    ])
  }
}
