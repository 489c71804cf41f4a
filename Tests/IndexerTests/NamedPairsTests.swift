import Broker
import Catalogue
import Indexer
import PhotoModel
import Testing

/// Decides whether files and a photo of their name are of one exposure.
struct NamedPairsTests {
  private func facts(_ camera: String?, at seconds: Int64? = nil, offset: Int32? = nil, isLocal: Bool = true)
    -> ItemFacts
  {
    var facts = ItemFacts(mediaType: .image, contentType: "image/jpeg")
    facts.camera = camera
    facts.capture = seconds.map {
      ItemFacts.Capture(localSeconds: $0, microseconds: 0, offsetMinutes: offset, origin: .offset, isLocal: isLocal)
    }
    return facts
  }

  private func isSame(_ one: ItemFacts, _ other: ItemFacts) -> Bool {
    #expect(one.isSameExposure(as: other) == other.isSameExposure(as: one))
    return one.isSameExposure(as: other)
  }

  @Test func `contradicting cameras or dates make two photos`() {
    let photo = facts("Apple iPhone 12", at: 1_000_000)
    #expect(isSame(photo, facts("Apple iPhone 12", at: 1_000_002)), "a phone saves one after the other")
    #expect(isSame(photo, facts("APPLE iPhone 12", at: 1_000_000)))
    #expect(!isSame(photo, facts("Google Pixel 7", at: 1_000_000)))
    #expect(!isSame(photo, facts("Apple iPhone 12", at: 1_000_060)))
    #expect(!isSame(photo, facts("Apple iPhone 12", at: .max)) && !isSame(photo, facts("Apple iPhone 12", at: .min)))
  }

  @Test func `an edited version of unknown origin contradicts nothing`() {
    let photo = facts("Canon", at: 1_000_000)
    #expect(!facts(nil).contradicts(photo) && !facts("canon", at: 1_000_001).contradicts(photo))
    #expect(facts("Nikon", at: 1_000_000).contradicts(photo) && facts(nil, at: 2_000_000).contradicts(photo))
  }

  @Test func `a raw file in a subfolder named raw joins the photo of its name above`() {
    func joined(_ paths: String...) -> [String] {
      StorageItem.joiningRawFolders(paths.map { item($0) }).map { $0.files.map(\.locator).joined(separator: " ") }
    }
    #expect(joined("a.jpg", "raw/a.dng", "raw/b.dng") == ["a.jpg raw/a.dng", "raw/b.dng"])
    #expect(joined("x/RAW/A.NEF", "x/a.HEIC", "x/a.png") == ["x/a.HEIC x/RAW/A.NEF", "x/a.png"])
    #expect(joined("a.png", "raw/a.dng") == ["a.png", "raw/a.dng"])
    #expect(joined("y/a.jpg", "x/raw/a.dng", "x/raws/a.dng", "x/a.mov").count == 4)
    #expect(joined("a.jpg", "raw/a.dng", "raw/a.nef") == ["a.jpg raw/a.dng", "raw/a.nef"])
  }

  @Test func `one matching fact is enough, and none is not`() {
    #expect(
      isSame(facts("Canon", at: 1_000_000), facts("Canon"))
        && isSame(facts(nil, at: 1_000_000), facts("Canon", at: 1_000_000)))
    for unsaid in [facts(nil), facts("")] {
      #expect(!isSame(unsaid, unsaid) && !isSame(unsaid, facts("Canon", at: 1_000_000)))
    }
  }

  @Test func `times of the camera's and the world's clocks are compared`() {
    let zoned = facts(nil, at: 1_007_200, offset: 120)
    #expect(isSame(zoned, facts(nil, at: 1_007_200)), "an offset is in one of them only")
    #expect(isSame(zoned, facts(nil, at: 1_000_000, offset: 0, isLocal: false)))
    #expect(!isSame(zoned, facts(nil, at: 1_007_200, offset: 0, isLocal: false)))
    #expect(
      !isSame(facts(nil, at: 1_000_000), facts(nil, at: 1_000_000, offset: 0, isLocal: false)),
      "whose clock it was is not known")
    #expect(!isSame(facts(nil, at: .min, offset: 120), facts(nil, at: .max, offset: -120)))
  }

  private let photo = file("a.jpg", hint: "h")
  private let raw = file("a.dng", hint: "r", role: .raw)

  private func verdict(_ known: [AssetRecord], factsVersion: UInt32 = 0) -> NamedPairs.Verdict {
    NamedPairs(known: known, factsVersion: factsVersion).verdict(photo, raw)
  }

  @Test func `an earlier result holds until a file or the rules change`() {
    let together = [known(1, item("a.jpg", hint: "h", others: [raw]))]
    let apart = [known(1, item("a.jpg", hint: "h")), known(2, item("a.dng", hint: "r"))]
    #expect(verdict(together) == .together && verdict(apart) == .apart)
    #expect(verdict(together, factsVersion: 1) == .open && verdict(apart, factsVersion: 1) == .open)
    #expect(verdict([known(1, item("a.jpg", hint: "h", version: "2", others: [raw]))]) == .open)
    #expect(verdict([apart[0], known(2, item("a.dng", hint: "r", version: "2"))]) == .open)
    #expect(verdict([apart[0]]) == .open && verdict([apart[1]]) == .open, "one of them is new")
    #expect(verdict([known(1, item("b.dng", hint: "r"))]) == .open, "it moved")
    #expect(verdict([]) == .new && verdict([known(1, item("b.jpg", hint: "other"))]) == .new)
  }

  @Test
  func `a separated raw file takes its sidecars along, and the stem's last raw file those of the stem`() {
    let sidecars = ["a.dng.xmp", "a.xmp", "a.jpg.xmp", "a.cr2.xmp"].map { file($0, role: .sidecar) }
    let second = file("a.cr2", hint: "s", role: .raw)
    func detached(_ raws: [ItemFile]) -> [[String]] {
      let parts = item("a.jpg", hint: "h", others: [raw, second] + sidecars).detached(from: raws)
      #expect(parts.allSatisfy { $0.primary.role == .original })
      return parts.map { $0.files.map(\.locator) }
    }
    #expect(detached([raw]) == [["a.jpg", "a.cr2", "a.xmp", "a.jpg.xmp", "a.cr2.xmp"], ["a.dng", "a.dng.xmp"]])
    #expect(
      detached([raw, second]) == [["a.jpg", "a.jpg.xmp"], ["a.dng", "a.dng.xmp", "a.xmp"], ["a.cr2", "a.cr2.xmp"]])
  }
}
