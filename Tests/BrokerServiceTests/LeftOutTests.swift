import Broker
import Monitor
import PhotoModel
import Testing

@testable import BrokerService

/// The number and the names of skipped files.
struct LeftOutTests {
  private func look(_ names: [String], unnamed: Int = 0, in folders: [String]? = nil) -> IndexJob.Outcome {
    var outcome = IndexJob.Outcome()
    outcome.skippedFiles = names.map {
      IndexJob.Skipped(locator: $0, reason: Reason(.fileUnreadable, "cannot be read"))
    }
    outcome.skipped = names.count + unnamed
    outcome.folders = folders?.map { StorageFolder(path: $0, isDeep: true) }
    return outcome
  }

  private func takes(_ outcome: IndexJob.Outcome, _ left: inout LeftOut) -> Bool { left.take(outcome) }

  @Test func `nameless files are counted once, however often single folders are scanned`() {
    var left = LeftOut()
    #expect(takes(look(["a/1.jpg"], unnamed: 6), &left))
    #expect(left.count == 7)
    for _ in 0..<3 { #expect(!takes(look(["a/1.jpg"], unnamed: 6, in: ["a"]), &left)) }
    #expect(left.count == 7)
    #expect(takes(look(["a/1.jpg"], unnamed: 8, in: ["a"]), &left))
    #expect(left.count == 9)
    #expect(!takes(look(["a/1.jpg"], unnamed: 2), &left), "a look at everything counts them anew")
    #expect(left.count == 3)
  }

  @Test func `a file that is no longer skipped is no longer counted, and other folders' files are`() {
    var left = LeftOut()
    #expect(takes(look(["a/1.jpg", "b/2.jpg"], unnamed: 1), &left))
    #expect(!takes(look([], in: ["a"]), &left))
    #expect(left.count == 2)
    #expect(left.files.map(\.locator) == ["b/2.jpg"])
    #expect(takes(look(["a/3.jpg"], in: ["a"]), &left))
    #expect(left.count == 3)
  }

  @Test func `files beyond the named ones are counted`() {
    var left = LeftOut()
    let names = (0..<IndexJob.namedSkips).map { "a/\($0).jpg" }
    #expect(takes(look(names, unnamed: 400), &left))
    #expect(!takes(look(names, unnamed: 400, in: ["a"]), &left))
    #expect(left.count == IndexJob.namedSkips + 400)
  }

  @Test func `a file that timed out is inspected again after a restart`() {
    var left = LeftOut()
    var outcome = look([])
    for (name, late) in [("damaged.jpg", nil), ("late.jpg", (times: 1, next: .after(.seconds(5))))]
      as [(String, (Int, MonotonicTime)?)]
    {
      outcome.unusable[ExactText(name)] = IndexJob.Unusable(
        contentVersion: "1", reason: Reason(.fileUnusable, "no"), late: late)
    }
    #expect(!takes(outcome, &left))
    #expect(LeftOut(kept: left.kept(isFar: true)).unusable.keys.map(\.text) == ["damaged.jpg"])
  }

  @Test
  func
    `a damaged sidecar is known after a restart and an upgrade, wherever it is, and other files are looked into anew`()
  {
    var left = LeftOut()
    var outcome = look([])
    for (name, code) in [("damaged.jpg", .fileUnusable), ("photo.xmp", .sidecarUnreadable)] as [(String, Reason.Code)] {
      outcome.unusable[ExactText(name)] = IndexJob.Unusable(contentVersion: "1", reason: Reason(code, "no"))
    }
    #expect(!takes(outcome, &left))
    func known(_ kept: String) -> [String] { LeftOut(kept: kept).unusable.keys.map(\.text).sorted() }
    #expect(known(left.kept(isFar: false)) == ["photo.xmp"])
    #expect(known(left.kept(isFar: true)) == ["damaged.jpg", "photo.xmp"])
    #expect(
      known("0\n" + left.kept(isFar: true).split(separator: "\n").dropFirst().joined(separator: "\n")) == ["photo.xmp"])
  }
}
