import BrokerInterface
import PhotoModel
import PluginHost

/// What a cloud mapping promises.
struct CloudMappingChecks {
  private static let application = "org.example.Journal"

  private let run: CheckRun

  init(_ run: CheckRun) { self.run = run }

  func all() {
    run.check("nothing-asked") { guard try names([]).isEmpty else { throw Complaint("It named something where nothing was asked.") } }
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

  /// Assets with digests that differ in a few bits only, and ones that look like chance.
  private static func assets(_ count: Int, from start: Int = 0) -> [Plugin.CloudItem] {
    (start..<(start + count)).map { number in
      var state = UInt64(number / 2) &* 0x9e37_79b9_7f4a_7c15
      var text = ""
      for _ in 0..<3 {
        state = (state ^ (state >> 29)) &* 0xbf58_476d_1ce4_e5b9 &+ 1
        text += padded(state)
      }
      return Plugin.CloudItem(digest: text + padded(UInt64(number)))
    }
  }

  private static func padded(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func albums(_ count: Int) -> [Plugin.CloudItem] {
    (0..<count).map { Plugin.CloudItem(title: "Album \($0 / 2)", created: 1_700_000_000_000_000 + Int64($0 % 2) * 172_800_000_000) }
  }

  /// - Returns: A name for each item; empty where it has none.
  private func names(
    _ items: [Plugin.CloudItem], application: String = application, in process: PluginProcess? = nil
  ) throws -> [String] {
    let process = try process ?? run.running()
    let found = try process.call(Plugin.NameItems.self, .init(application: application, items: items), within: .seconds(30)).names
    guard found.count == items.count else {
      throw Complaint(
        "It answered with \(found.count) names for \(items.count) items. Answer for each, in order; an empty name where there is none.")
    }
    if let odd = found.first(where: { $0.utf8.count > 256 || !$0.utf8.allSatisfy { (0x21...0x7e).contains($0) } }) {
      throw Complaint("The name \"\(IsolatedPlugin.plain(String(odd.prefix(40))))\" is not allowed: 1 to 256 bytes of visible ASCII.")
    }
    return found
  }

  private func sameNamesAgain() throws {
    let items = Self.assets(100) + Self.albums(100)
    let first = try names(items)
    let other = try run.fresh()
    defer { other.end() }
    guard try first == names(items), try first == names(items, in: other) else {
      throw Complaint("The same item had two names. Name by what is given, and by nothing that differs between processes or machines.")
    }
  }

  private func orderOfItems() throws {
    let items = Self.assets(100) + Self.albums(100)
    guard try names(items) == names(items.reversed()).reversed() else {
      throw Complaint("The name of an item depends on what is asked for beside it, or the answer is not in order.")
    }
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
    guard count > 0 else { throw Complaint("It names nothing at all: not one of 11,000 items.") }
    guard seen.count == count else {
      throw Complaint("Of \(count) different items \(count - seen.count) share a name. Let all of the digest, or title and date, count.")
    }
  }

  private func otherApplication() throws {
    let items = Self.assets(100) + Self.albums(100)
    let ours = try names(items).filter { !$0.isEmpty }
    guard Set(ours).isDisjoint(with: try names(items, application: "org.example.Other")) else {
      throw Complaint("Two applications got the same name for an item, so that they can compare notes. Let the application count.")
    }
  }

  private func namesTellNothing() throws {
    for (item, name) in zip(Self.assets(50), try names(Self.assets(50))) {
      guard let digest = item.digest, !name.lowercased().contains(digest.prefix(16)) else {
        throw Complaint(
          "A name holds the photo's digest: whoever has the file could tell that the owner has it. Use a keyed or one-way function.")
      }
    }
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
    try run.measure("names") {
      for _ in 0..<5 { _ = try names(items) }
      return 5 * items.count
    }
  }
}
