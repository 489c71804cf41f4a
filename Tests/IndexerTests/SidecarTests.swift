import Broker
import Catalogue
import Indexer
import PhotoModel
import Testing

/// R39: a sidecar stays with its photo, whatever happens to the names beside it.
struct SidecarTests {
  private static func sidecar(_ locator: String = "1.xmp", hint: String? = "s", version: String = "1")
    -> ItemFile
  {
    file(locator, hint: hint, version: version, role: .sidecar)
  }

  private let photo = known(1, item("1.jpg", hint: "a", others: [sidecar()]))
  private let other = known(2, item("1.png", hint: "b"))

  /// A scan's result, by the places of photos, each with its sidecars.
  private struct Found: Equatable {
    var changed: [String: [String]] = [:]
    var new: [String: [String]] = [:]
    var missing: [UInt32] = []
    var strays: [String] = []
  }

  private func find(
    _ known: [AssetRecord], missing: [AssetRecord] = [], _ scan: [StorageItem], there: Set<String> = []
  ) -> Found {
    let found = Reconciler(
      known: known, missing: missing, factsVersion: 0, zone: .fixed(minutes: 0), isThere: { there.contains($0.locator) }
    ).reconcile(scan) { _, _ in nil }
    func byPlace(_ items: [StorageItem]) -> [String: [String]] {
      Dictionary(uniqueKeysWithValues: items.map { ($0.primary.locator, $0.others.map(\.locator)) })
    }
    return Found(
      changed: byPlace(found.changed.map(\.item)), new: byPlace(found.new),
      missing: found.missing.map(\.row.number.rawValue), strays: found.strays.map(\.file.locator))
  }

  @Test(arguments: ["s", nil]) func `R39 a sidecar whose photo left goes to no other photo of its name`(_ hint: String?)
  {
    let photo = known(1, item("1.jpg", hint: "a", others: [Self.sidecar(hint: hint)]))
    let beside = item("1.png", hint: "b", others: [Self.sidecar(hint: hint)])
    #expect(find([photo, other], [beside]) == Found(missing: [1], strays: ["1.xmp"]))
    #expect(find([photo], [beside]) == Found(new: ["1.png": []], missing: [1], strays: ["1.xmp"]))
    #expect(find([other], missing: [photo], [beside]) == Found(strays: ["1.xmp"]))
    #expect(find([], missing: [photo], [beside]) == Found(new: ["1.png": []], strays: ["1.xmp"]))
    var trashed = photo
    trashed.row.flags.insert(.trashed)
    #expect(find([trashed, other], [beside]) == Found(missing: [1], strays: ["1.xmp"]))
    #expect(find([other], [beside]) == Found(changed: ["1.png": ["1.xmp"]]), "nobody remembers its photo")
  }

  @Test func `R39 a photo keeps its sidecar when another one of its name comes or it moves away`() {
    let beside = item("1.gif", hint: "c", others: [Self.sidecar()])
    #expect(find([photo], [beside, item("1.jpg", hint: "a")]) == Found(new: ["1.gif": []]))
    #expect(
      find([photo], [beside, item("2.jpg", hint: "a")]) == Found(changed: ["2.jpg": ["1.xmp"]], new: ["1.gif": []]))
    #expect(
      find([photo], [beside, item("2.jpg", hint: "a", others: [Self.sidecar("2.xmp", hint: "t")])])
        == Found(changed: ["2.jpg": ["2.xmp", "1.xmp"]], new: ["1.gif": []]), "its own name goes first")
  }

  @Test func `R39 a sidecar alone in its place stays its moved photo's`() {
    let moved = [item("2.jpg", hint: "a")]
    #expect(find([photo], moved, there: ["1.xmp"]) == Found(changed: ["2.jpg": ["1.xmp"]]))
    #expect(find([photo], moved) == Found(changed: ["2.jpg": []]), "it was deleted")
  }

  @Test func `R39 a photo and its sidecar move together`() {
    let together = item("2.jpg", hint: "a", others: [Self.sidecar("2.xmp")])
    #expect(find([photo, other], [item("1.png", hint: "b"), together]) == Found(changed: ["2.jpg": ["2.xmp"]]))
    #expect(find([other], missing: [photo], [together]) == Found(new: ["2.jpg": ["2.xmp"]], missing: [2]))
  }

  @Test func `R39 a new photo brings a new sidecar to the place of a former one`() {
    let new = item("1.jpg", hint: "n", version: "2", others: [Self.sidecar(hint: "t", version: "2")])
    #expect(find([], missing: [photo], [new]) == Found(new: ["1.jpg": ["1.xmp"]]))
    let remote = known(1, item("1.jpg", others: [Self.sidecar(hint: nil)]))
    #expect(
      find([], missing: [remote], [item("1.jpg", version: "2", others: [Self.sidecar(hint: nil, version: "2")])])
        == Found(new: ["1.jpg": ["1.xmp"]]))
  }

  @Test func `R39 the sidecar of a raw file goes with it`() {
    let raw = file("1.dng", hint: "r", role: .raw)
    let pair = known(1, item("1.jpg", hint: "a", others: [raw, Self.sidecar("1.dng.xmp")]))
    #expect(
      find([pair], [item("1.jpg", hint: "a"), item("b/1.dng", hint: "r", others: [Self.sidecar("b/1.dng.xmp")])])
        == Found(changed: ["1.jpg": []], new: ["b/1.dng": ["b/1.dng.xmp"]]))
  }

  @Test func `R39 hard links to a sidecar belong to the photo beside each`() {
    let linked = known(2, item("2.jpg", hint: "b", others: [Self.sidecar("2.xmp")]))
    let scan = [item("2.jpg", hint: "b", others: [Self.sidecar("2.xmp")])]
    #expect(find([photo, linked], scan) == Found(missing: [1]))
    #expect(
      find([photo], [item("1.jpg", hint: "a", others: [Self.sidecar()])] + scan) == Found(new: ["2.jpg": ["2.xmp"]]))
  }

  @Test func `R39 a returned sidecar precedes the one of a Live Photo's video`() {
    let film = [file("1.mov", hint: "m", role: .pairedVideo), Self.sidecar("1.mov.xmp", hint: "t")]
    let live = known(1, item("1.heic", hint: "a", others: [Self.sidecar()] + film))
    let scan = [
      item("1.gif", hint: "c", others: [Self.sidecar()]), item("1.heic", hint: "a", version: "2"),
      item("1.mov", hint: "m", others: [film[1]]),
    ]
    #expect(
      find([live], scan) == Found(changed: ["1.heic": ["1.xmp", "1.mov", "1.mov.xmp"]], new: ["1.gif": []]))
  }
}
