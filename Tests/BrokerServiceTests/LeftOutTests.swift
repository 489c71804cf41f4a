import Broker
import Monitor
import PhotoModel
import Testing

@testable import BrokerService

/// The number and the names of skipped files.
struct LeftOutTests {
  private let reason = Reason(.fileNoMedia, "cannot be read")

  /// Merges a scan's result into the list.
  /// - Returns: Whether a file is newly skipped.
  private func look(
    _ names: [String], unnamed: Int = 0, in folders: [String]? = nil, _ list: inout SkippedFiles
  ) -> Bool {
    var found = SkippedFiles.Found()
    for name in names { found.add(name, reason) }
    found.add(nil, reason, count: unnamed)
    let merged = list.merging(found, in: folders?.map { StorageFolder(path: $0, isDeep: true) })
    list = merged.files
    return merged.hasNew
  }

  @Test func `nameless files are counted once, however often single folders are scanned`() {
    var list = SkippedFiles()
    #expect(look(["a/1.jpg"], unnamed: 6, &list))
    #expect(list.count == 7)
    for _ in 0..<3 { #expect(!look(["a/1.jpg"], unnamed: 6, in: ["a"], &list)) }
    #expect(list.count == 7)
    #expect(look(["a/1.jpg"], unnamed: 8, in: ["a"], &list))
    #expect(list.count == 9)
    #expect(!look(["a/1.jpg"], unnamed: 2, &list), "a look at everything counts them anew")
    #expect(list.count == 3)
  }

  @Test func `a file that is no longer skipped is no longer counted, and other folders' files are`() {
    var list = SkippedFiles()
    #expect(look(["a/1.jpg", "a/b/4.jpg", "b/2.jpg"], unnamed: 1, &list))
    #expect(!look([], in: ["a"], &list))
    #expect(list.count == 2)
    #expect(list.files().map(\.locator) == ["b/2.jpg"])
    #expect(look(["a/3.jpg"], in: ["a"], &list))
    #expect(list.count == 3)
    #expect(list.contains("a/3.jpg") && !list.contains("a/1.jpg"))
    // A folder that was left out itself is in its parent's list.
    #expect(look(["trip", "tripod.jpg"], &list))
    #expect(!look([], in: ["trip"], &list))
    #expect(list.files().map(\.locator) == ["tripod.jpg"])
  }

  @Test func `files are listed once by folder and name, from any place on`() {
    var list = SkippedFiles()
    let names = ["z.jpg", "a/c/1.jpg", "a/b.jpg", "a-b/1.jpg", "a/c.jpg", "a/ä.jpg", "\u{65}\u{301}.jpg", "\u{e9}.jpg"]
    _ = look(names, &list)
    let listed = list.files().map(\.locator)
    #expect(listed.map(\.utf8.count).reduce(0, +) == names.map(\.utf8.count).reduce(0, +))
    #expect(Set(listed.map { ExactText($0) }) == Set(names.map { ExactText($0) }))
    let keys = listed.map { SkippedFiles.key($0) }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    for (place, key) in keys.enumerated() {
      let rest = list.files(from: key).map { SkippedFiles.key($0.locator) }.filter {
        key.utf8.lexicographicallyPrecedes($0.utf8)
      }
      #expect(rest == Array(keys[(place + 1)...]))
    }
  }

  @Test func `names beyond the bound are counted, and known after fewer are left out`() {
    var list = SkippedFiles()
    let long = String(repeating: "x", count: 4_000)
    let count = SkippedFiles.limitBytes / 4_000
    _ = look((0..<count).map { "a/\($0)\(long)" }, &list)
    #expect(list.count == count && list.isPartial)
    #expect((count * 9 / 10..<count).contains(list.files().reduce(0) { number, _ in number + 1 }))
    _ = look(["b/1.jpg"], in: ["b"], &list)
    #expect(list.count >= count)
    _ = look((0..<100).map { "a/\($0)\(long)" }, &list)
    #expect(list.count == 100 && !list.isPartial)
  }

  @Test func `a page of a large folder begins near its place`() {
    var list = SkippedFiles()
    let names = (0..<5_000).map { "a/IMG_\(10_000 + $0).JPG" }
    _ = look(names + ["b.jpg"], &list)
    #expect(list.files().map(\.locator) == ["b.jpg"] + names)
    for place in [0, 1, 255, 256, 257, 2_500, 4_999] {
      let rest = list.files(from: SkippedFiles.key(names[place])).map(\.locator)
      #expect(rest.suffix(5_000 - place) == names[place...] && rest.count < 5_000 - place + 256)
      #expect(list.contains(names[place]) && !list.contains(names[place] + "x"))
    }
    #expect(list.files(from: SkippedFiles.key("a/zzz")).map(\.locator).last == names.last)
    #expect(Array(list.files(from: SkippedFiles.key("c/a"))).isEmpty)
  }

  @Test func `a quarter of a million names of a camera fit`() {
    var found = SkippedFiles.Found()
    for number in 0..<250_000 { found.add("DCIM/\(number / 10_000)/IMG_\(10_000 + number % 10_000).JPG", reason) }
    let (list, _) = SkippedFiles().merging(found, in: nil)
    #expect(list.count == 250_000 && !list.isPartial)
  }

  @Test func `a file that timed out is inspected again after a restart`() {
    var left = LeftOut()
    var outcome = IndexJob.Outcome()
    for (name, late) in [("damaged.jpg", nil), ("late.jpg", (times: 1, next: .after(.seconds(5))))]
      as [(String, (Int, MonotonicTime)?)]
    {
      outcome.unusable[ExactText(name)] = IndexJob.Unusable(
        contentVersion: "1", reason: Reason(.fileUnusable, "no"), late: late)
    }
    left.take(outcome)
    #expect(LeftOut(kept: left.kept(isFar: true)).unusable.keys.map(\.text) == ["damaged.jpg"])
  }

  @Test
  func
    `a damaged sidecar is known after a restart and an upgrade, wherever it is, and other files are looked into anew`()
  {
    var left = LeftOut()
    var outcome = IndexJob.Outcome()
    for (name, code) in [("damaged.jpg", .fileUnusable), ("photo.xmp", .sidecarUnreadable)] as [(String, Reason.Code)] {
      outcome.unusable[ExactText(name)] = IndexJob.Unusable(contentVersion: "1", reason: Reason(code, "no"))
    }
    left.take(outcome)
    func known(_ kept: String) -> [String] { LeftOut(kept: kept).unusable.keys.map(\.text).sorted() }
    #expect(known(left.kept(isFar: false)) == ["photo.xmp"])
    #expect(known(left.kept(isFar: true)) == ["damaged.jpg", "photo.xmp"])
    #expect(
      known("0\n" + left.kept(isFar: true).split(separator: "\n").dropFirst().joined(separator: "\n")) == ["photo.xmp"])
  }
}
