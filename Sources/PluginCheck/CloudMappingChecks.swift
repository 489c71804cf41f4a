import BrokerInterface
import Cryptography
import PhotoModel
import PluginHost
import Supervisor

/// Checks that a cloud mapping follows its protocol.
struct CloudMappingChecks {
  private static let application = "org.example.Journal"

  private let run: CheckRun

  init(_ run: CheckRun) { self.run = run }

  func all() {
    run.check("nothing-asked") {
      try expect(names([]).isEmpty, "It answered an empty question with names. Answer with an empty list.")
    }
    run.check("names-are-valid") { _ = try names(Self.assets(200) + Self.albums(200)) }
    run.check("same-names-again", sameNamesAgain)
    run.check("order-of-items", orderOfItems)
    run.check("no-two-alike", noTwoAlike)
    run.check("other-application-other-names", otherApplication)
    run.check("names-tell-nothing", namesTellNothing)
    run.check("odd-albums", oddAlbums)
    run.check("odd-applications", oddApplications)
    run.check("a-thousand-at-once", aThousandAtOnce)
  }

  /// Pairs of digests that differ in a few bits, among digests that look random.
  private static func assets(_ count: Int, from start: Int = 0) -> [Plugin.CloudItem] {
    (start..<(start + count)).map { number in
      var state = UInt64(number / 2) &* 0x9e37_79b9_7f4a_7c15
      var text = ""
      for _ in 0..<3 {
        state = (state ^ (state >> 29)) &* 0xbf58_476d_1ce4_e5b9 &+ 1
        text += Hex.text(state)
      }
      return Plugin.CloudItem(digest: text + Hex.text(UInt64(number)))
    }
  }

  private static func albums(_ count: Int) -> [Plugin.CloudItem] {
    (0..<count).map {
      Plugin.CloudItem(title: "Album \($0 / 2)", created: 1_700_000_000_000_000 + Int64($0 % 2) * 172_800_000_000)
    }
  }

  /// - Returns: a name for each item; empty for an item without one.
  private func names(
    _ items: [Plugin.CloudItem], application: String = application, in process: PluginProcess? = nil
  ) throws -> [String] {
    let process = try process ?? run.running()
    let found = try process.call(
      Plugin.NameItems.self, .init(application: application, items: items), within: .seconds(30)
    ).names
    try expect(
      found.count == items.count,
      """
      It answered with \(found.count) names for \(items.count) items. Give one name for each, in order, or an empty \
      text.
      """)
    if let odd = found.first(where: { $0.utf8.count > 256 || !$0.utf8.allSatisfy { (0x21...0x7e).contains($0) } }) {
      throw Complaint(
        """
        The name "\(IsolatedPlugin.plain(String(odd.prefix(40))))" is not allowed. Use 1 to 256 bytes of visible \
        ASCII.
        """
      )
    }
    return found
  }

  private func sameNamesAgain() throws {
    let items = Self.assets(100) + Self.albums(100)
    let first = try names(items)
    // An environment as on another machine.
    var elsewhere = run.plugin
    elsewhere.program.environment.merge(
      [
        "TZ": "Pacific/Kiritimati", "LANG": "de_DE.UTF-8", "USER": "somebody", "HOME": "/nonexistent",
        "HOSTNAME": "elsewhere",
      ]
    ) { _, new in new }
    let other = try run.fresh(elsewhere)
    try expect(
      first == names(items) && first == names(items, in: other),
      "The same item got two names. Use nothing that differs between processes or machines, such as a time zone.")
  }

  private func orderOfItems() throws {
    let items = Self.assets(100) + Self.albums(100)
    try expect(
      names(items) == names(items.reversed()).reversed(),
      "The name of an item depends on the items beside it, or the order is wrong. Name each item by itself.")
  }

  private func noTwoAlike() throws {
    var seen: Set<String> = []
    var count = 0
    for start in stride(from: 0, to: 10_000, by: 1_000) {
      let found = try names(Self.assets(1_000, from: start)).filter { !$0.isEmpty }
      count += found.count
      seen.formUnion(found)
    }
    let albums = try names(Self.albums(1_000)).filter { !$0.isEmpty }
    seen.formUnion(albums)
    count += albums.count
    try expect(count > 0, "It named none of 11,000 items. Name assets and albums.")
    try expect(!albums.isEmpty, "It named none of 1,000 albums. Name albums too: apps find them again by name.")
    try expect(
      seen.count == count,
      "Of \(count) different items \(count - seen.count) share a name. Use the whole digest, or title and date.")
  }

  private func otherApplication() throws {
    let items = Self.assets(100) + Self.albums(100)
    let ours = try names(items).filter { !$0.isEmpty }
    // The whole application counts, byte for byte: a prefix, an extension or another case is
    // another application.
    for other in [
      "org.example.Other", "org.example.journal", "com.example.Journal", "org.example.Journal2", "org.example",
    ] {
      try expect(
        Set(ours).isDisjoint(with: try names(items, application: other)),
        """
        The applications \(Self.application) and \(other) got the same name for an item, so they could compare \
        names. Use the whole identifier of the application, as it is written.
        """)
    }
  }

  private func namesTellNothing() throws {
    for (item, name) in zip(Self.assets(50), try names(Self.assets(50))) {
      guard let digest = item.digest, !Self.disguises(of: digest).contains(where: name.lowercased().contains) else {
        throw Complaint(
          """
          A name holds the photo's digest, so anybody with the file knows that the owner has it. Use a keyed or \
          one-way function.
          """
        )
      }
    }
    let album = Plugin.CloudItem(title: "Grandmother", created: 1_700_000_000_000_000)
    for name in try names([album]) {
      let disguises = ["grandmother", Hex.text(Array("Grandmother".utf8)), "r3jhbmrtb3rozx"]
      try expect(
        !disguises.contains(where: name.lowercased().contains),
        "A name holds the album's title, which other applications may not know. Use a keyed or one-way function.")
    }
  }

  /// Forms in which a name could hold the beginning of a digest: plain, reversed and in base 64, in
  /// lower case.
  private static func disguises(of digest: String) -> [String] {
    let coded = Base64URL.encode(Hex.bytes(digest.prefix(24)) ?? [])
    let usual = coded.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return [
      String(digest.prefix(16)), String(digest.reversed().prefix(16)), coded.lowercased(), String(usual).lowercased(),
    ]
  }

  private func oddAlbums() throws {
    let titles = ["", "\u{0}", "\u{1b}[2J", "../..", String(repeating: "x", count: 16_384), "👩‍👩‍👧‍👦", "Ü", "U\u{308}"]
    _ = try names(titles.flatMap { title in [Int64.min, 0, .max].map { Plugin.CloudItem(title: title, created: $0) } })
  }

  private func oddApplications() throws {
    for application in ["", "\u{0}", "a b", "\u{1b}[2J", String(repeating: "x", count: 4_096)] {
      do { _ = try names(Self.assets(2), application: application) } catch is PluginFailure {}
    }
    try run.probe(run.running())
  }

  private func aThousandAtOnce() throws {
    let items = Self.assets(1_000)
    let ends = try (Array(names(items).prefix(10)), Array(names(items).suffix(10)))
    try expect(
      ends == (names(Array(items.prefix(10))), names(Array(items.suffix(10)))),
      "Of 1,000 items the first or the last got other names than alone. Name all items.")
    try run.measure("names") {
      for _ in 0..<5 { _ = try names(items) }
      return 5 * items.count
    }
  }
}
