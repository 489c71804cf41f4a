import Broker
import Catalogue
import Indexer
import PhotoModel
import Testing

/// A backend may list a Live Photo's video as an item of its own; it belongs to its still.
struct PairedVideoTests {
  private let pair = item(
    "a.heic", hint: "still", others: [file("a.mov", hint: "video", version: "v1", role: .pairedVideo)])

  private func reconcile(_ scan: [StorageItem]) -> Reconciliation {
    Reconciler(known: [known(1, pair)]).reconcile(scan) { _, _ in nil }
  }

  @Test(arguments: [false, true])
  func `an untouched pair is unchanged`(_ videoFirst: Bool) {
    let scan = [item("a.heic", hint: "still"), item("a.mov", hint: "video", version: "v1")]
    #expect(reconcile(videoFirst ? scan.reversed() : scan).outcome == Outcome(unchanged: 1))
  }

  @Test func `R95 a moved pair is still one asset`() throws {
    let result = reconcile([item("x/a.mov", hint: "video", version: "v1"), item("x/a.heic", hint: "still")])
    #expect(result.outcome == Outcome(changed: [1: "x/a.heic"]))
    let files = try #require(result.changed.first).item.files
    #expect(files.map(\.role) == [.original, .pairedVideo])
    #expect(files.map(\.locator) == ["x/a.heic", "x/a.mov"])
  }

  @Test(arguments: [("video", "v2"), ("new", "v2")])
  func `a newly saved video is left to its content`(hint: String, version: String) {
    #expect(
      reconcile([item("a.heic", hint: "still"), item("a.mov", hint: hint, version: version)]).outcome
        == Outcome(changed: [1: "a.heic"], needingFacts: [1], new: ["a.mov"]))
  }

  @Test func `a video in another folder than its still is a video`() {
    #expect(
      reconcile([item("a.heic", hint: "still"), item("x/a.mov", hint: "video", version: "v1")]).outcome
        == Outcome(changed: [1: "a.heic"], needingFacts: [1], new: ["x/a.mov"]))
  }

  @Test func `a video without its still is a video`() {
    #expect(reconcile([item("a.mov", hint: "video", version: "v1")]).outcome == Outcome(new: ["a.mov"], missing: [1]))
  }

  @Test func `a still without its video is a changed asset`() {
    #expect(reconcile([item("a.heic", hint: "still")]).outcome == Outcome(changed: [1: "a.heic"], needingFacts: [1]))
  }

  @Test(arguments: [false, true])
  func `R95 the video stays with the moved still and not with its replacement`(_ movedFirst: Bool) throws {
    let stills = [item("b.heic", hint: "still"), item("a.heic", hint: "other", version: "2")]
    let result = reconcile((movedFirst ? stills : stills.reversed()) + [item("a.mov", hint: "video", version: "v1")])
    #expect(result.outcome == Outcome(changed: [1: "b.heic"], new: ["a.heic"]))
    #expect(try #require(result.changed.first).item.others.map(\.locator) == ["a.mov"])
    #expect(try #require(result.new.first).others.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a second link to the video is a video of its own`(_ linkFirst: Bool) {
    let videos = [item("link.mov", hint: "video", version: "v1"), item("a.mov", hint: "video", version: "v1")]
    #expect(
      reconcile((linkFirst ? videos : videos.reversed()) + [item("a.heic", hint: "still")]).outcome
        == Outcome(unchanged: 1, new: ["link.mov"]))
  }
}
