import Broker
import Catalogue
import Indexer
import PhotoModel
import Testing

/// An asset stays the same while files of its group come and go.
struct GroupingAcrossScansTests {
  private func outcome(_ known: [AssetRecord], _ scan: [StorageItem]) -> Outcome {
    Reconciler(known: known).reconcile(scan) { _, _ in nil }.outcome
  }

  private let pair = item("a.jpg", hint: "jpeg", others: [file("a.cr2", hint: "raw", role: .raw)])

  @Test func `R95 a raw file keeps its identity when its JPEG arrives later`() {
    #expect(
      outcome([known(1, item("a.cr2", hint: "raw"))], [pair]) == Outcome(changed: [1: "a.jpg"], needingFacts: [1]))
  }

  @Test func `R95 a JPEG keeps its identity when its raw file arrives later`() {
    #expect(
      outcome([known(1, item("a.jpg", hint: "jpeg"))], [pair]) == Outcome(changed: [1: "a.jpg"], needingFacts: [1]))
  }

  @Test func `R95 a raw file keeps its identity when its JPEG goes`() {
    #expect(
      outcome([known(1, pair)], [item("a.cr2", hint: "raw")]) == Outcome(changed: [1: "a.cr2"], needingFacts: [1]))
  }

  @Test func `R95 an edited version keeps its identity when its original arrives later`() {
    let both = item("p.jpg", hint: "o", others: [file("p-edited.jpg", hint: "e", role: .edited)])
    #expect(
      outcome([known(1, item("p-edited.jpg", hint: "e"))], [both]) == Outcome(changed: [1: "p.jpg"], needingFacts: [1]))
  }

  @Test func `R95 a later sidecar changes its asset and makes no other`() {
    let both = item("a.jpg", hint: "jpeg", others: [file("a.jpg.xmp", hint: "x", role: .sidecar)])
    #expect(
      outcome([known(1, item("a.jpg", hint: "jpeg"))], [both]) == Outcome(changed: [1: "a.jpg"], needingFacts: [1]))
    #expect(
      outcome([known(1, both)], [item("a.jpg", hint: "jpeg")]) == Outcome(changed: [1: "a.jpg"], needingFacts: [1]))
  }

  @Test func `R95 if both halves were assets, the photo's stays`() {
    #expect(
      outcome([known(1, item("a.cr2", hint: "raw")), known(2, item("a.jpg", hint: "jpeg"))], [pair])
        == Outcome(changed: [2: "a.jpg"], needingFacts: [2], missing: [1]))
  }
}
