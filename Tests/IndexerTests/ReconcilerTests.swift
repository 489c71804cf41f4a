import Broker
import Catalogue
import Indexer
import PhotoModel
import Testing

struct ReconcilerTests {
  private func outcome(
    _ known: [AssetRecord], _ scan: [StorageItem], digests: [String: [UInt8]] = [:], ends: [String: [UInt8]] = [:]
  ) -> Outcome {
    Reconciler(known: known).reconcile(scan) { file, kind in
      (kind == .digest ? digests : ends)[file.locator]
    }.outcome
  }

  @Test func `unchanged files are unchanged, in any order`() {
    let items = (0..<20).map { item("\($0).jpg", hint: "h\($0)") }
    let assets = items.enumerated().map { known(UInt32($0.offset), $0.element) }
    #expect(outcome(assets, items.reversed()) == Outcome(unchanged: 20))
  }

  @Test func `an empty library finds everything new, and an emptied one misses everything`() {
    #expect(outcome([], [item("a.jpg"), item("b.jpg")]) == Outcome(new: ["a.jpg", "b.jpg"]))
    #expect(outcome([known(1, item("a.jpg")), known(2, item("b.jpg"))], []) == Outcome(missing: [1, 2]))
  }

  @Test func `R95 a moved file is the same asset and is not inspected again`() {
    #expect(
      outcome([known(1, item("a.jpg", hint: "h"))], [item("2024/b.jpg", hint: "h")])
        == Outcome(changed: [1: "2024/b.jpg"]))
  }

  @Test func `R95 files not inspected by the present rules are inspected once`() {
    let scan = (0..<3).map { item("\($0).jpg", hint: "h\($0)") }
    let assets = scan.enumerated().map { number, item in
      var asset = known(UInt32(number), item)
      asset.factsVersion = UInt32(number)
      return asset
    }
    func outcome(_ version: UInt32) -> Outcome {
      Reconciler(known: assets, factsVersion: version, zone: .fixed(minutes: 0)).reconcile(scan) { _, _ in nil }.outcome
    }
    #expect(outcome(0) == Outcome(unchanged: 3))
    #expect(outcome(1) == Outcome(unchanged: 2, changed: [0: "0.jpg"], needingFacts: [0]))
    #expect(outcome(2) == Outcome(unchanged: 1, changed: [0: "0.jpg", 1: "1.jpg"], needingFacts: [0, 1]))
  }

  @Test(arguments: [DateOrigin.libraryZone, .place, .gps])
  func `R146 R150 files dated in another zone are changed and not inspected again`(_ origin: DateOrigin) {
    var dated = known(1, item("a.jpg", hint: "h"))
    (dated.row.dateOrigin, dated.row.zoneMinutes) = (origin, 60)
    func outcome(_ minutes: Int32) -> Outcome {
      Reconciler(known: [dated], factsVersion: 0, zone: .fixed(minutes: minutes)).reconcile([item("a.jpg", hint: "h")])
      { _, _ in nil }
      .outcome
    }
    #expect(outcome(60) == Outcome(unchanged: 1))
    #expect(outcome(120) == Outcome(changed: [1: "a.jpg"]))
    dated.row.dateOrigin = .edited
    #expect(outcome(120) == Outcome(unchanged: 1))
  }

  @Test(arguments: [DateOrigin.libraryZone, .place])
  func `R146 a local date without a known offset is looked up in its file`(_ origin: DateOrigin) {
    var dated = known(1, item("a.jpg", hint: "h"))
    (dated.row.dateOrigin, dated.factsVersion) = (origin, 1)
    func outcome(_ version: UInt32) -> Outcome {
      Reconciler(known: [dated], factsVersion: version, zone: .fixed(minutes: 0)).reconcile([item("a.jpg", hint: "h")])
      { _, _ in nil }
      .outcome
    }
    #expect(outcome(1) == Outcome(changed: [1: "a.jpg"], needingFacts: [1]))
    #expect(outcome(0) == Outcome(unchanged: 1), "nobody is there who could look")
  }

  @Test func `R45 a file with another source is the same asset, changed`() {
    var shared = item("a.jpg", hint: "h")
    shared.source = .cloudShared
    #expect(outcome([known(1, item("a.jpg", hint: "h"))], [shared]) == Outcome(changed: [1: "a.jpg"]))
    #expect(outcome([known(1, shared)], [item("a.jpg", hint: "h")]) == Outcome(changed: [1: "a.jpg"]))
    #expect(outcome([known(1, shared)], [shared]) == Outcome(unchanged: 1))
  }

  @Test func `R95 a moved file and another one in its old place are two assets`() {
    #expect(
      outcome(
        [known(1, item("a.jpg", hint: "h"))], [item("a.jpg", hint: "other", version: "2"), item("b.jpg", hint: "h")])
        == Outcome(changed: [1: "b.jpg"], new: ["a.jpg"]))
  }

  @Test func `R95 composed and decomposed letters make different places`() {
    let (composed, decomposed) = ("caf\u{e9}.jpg", "cafe\u{301}.jpg")
    func find(_ known: [AssetRecord], _ scan: [StorageItem]) -> Reconciliation {
      Reconciler(known: known).reconcile(scan) { _, _ in nil }
    }
    let renamed = find([known(1, item(composed, hint: "h"))], [item(decomposed, hint: "h")])
    #expect(renamed.unchanged == 0)
    #expect(renamed.changed.map { Array($0.item.primary.locator.utf8) } == [Array(decomposed.utf8)])
    let both = [item(composed, hint: "h"), item(decomposed, hint: "i")]
    #expect(find([], both).new.count == 2)
    #expect(find([known(1, both[0]), known(2, both[1])], both).outcome == Outcome(unchanged: 2))
    let swapped = [item(composed, hint: "i"), item(decomposed, hint: "h")]
    #expect(find([known(1, both[0]), known(2, both[1])], swapped).changed.count == 2)
  }

  @Test func `R44 two apps' additions are two assets, even if one looks like part of the other`() {
    let apps = [AppIdentifier(high: 1, low: 1), AppIdentifier(high: 2, low: 2)]
    let group = item(
      "IMG_1.jpg", hint: "h", others: [file("IMG_1.dng", hint: "r", role: .raw), file("IMG_1.xmp", role: .sidecar)])
    func found(by creators: [AppIdentifier?]) -> Outcome {
      var assets = [
        known(1, item("IMG_1.jpg", hint: "h", others: [group.others[1]])), known(2, item("IMG_1.dng", hint: "r")),
      ]
      for (index, creator) in creators.enumerated() { assets[index].creator = creator }
      return outcome(assets, [group])
    }
    #expect(found(by: [apps[0], apps[1]]) == Outcome(unchanged: 2))
    #expect(found(by: [apps[0], nil]) == Outcome(unchanged: 2))
    #expect(found(by: [nil, apps[1]]) == Outcome(unchanged: 2))
    let joined = Outcome(changed: [1: "IMG_1.jpg"], needingFacts: [1], missing: [2])
    #expect(found(by: [nil, nil]) == joined && found(by: [apps[0], apps[0]]) == joined)
  }

  @Test func `R95 files that exchange places keep their identities`() {
    #expect(
      outcome(
        [known(1, item("a.jpg", hint: "x")), known(2, item("b.jpg", hint: "y"))],
        [item("a.jpg", hint: "y"), item("b.jpg", hint: "x")])
        == Outcome(changed: [1: "b.jpg", 2: "a.jpg"]))
  }

  @Test func `R95 a file replaced by renaming is a change of the same asset`() {
    #expect(
      outcome([known(1, item("a.jpg", hint: "old"))], [item("a.jpg", hint: "new", version: "2")])
        == Outcome(changed: [1: "a.jpg"], needingFacts: [1]))
  }

  @Test func `R95 a file written in place is a change of the same asset`() {
    #expect(
      outcome([known(1, item("a.jpg", hint: "h"))], [item("a.jpg", hint: "h", version: "2")])
        == Outcome(changed: [1: "a.jpg"], needingFacts: [1]))
  }

  @Test func `R95 a copy is a new asset with any bytes`() {
    #expect(
      outcome(
        [known(1, item("a.jpg", hint: "h"), digest: [7])],
        [item("copy of a.jpg", hint: "i"), item("a.jpg", hint: "h")],
        digests: ["a.jpg": [7], "copy of a.jpg": [7]])
        == Outcome(unchanged: 1, new: ["copy of a.jpg"]))
  }

  @Test func `R95 a second link to a file is a new asset, also in later scans`() {
    let original = known(1, item("m.jpg", hint: "h"))
    let scan = [item("a.jpg", hint: "h"), item("m.jpg", hint: "h"), item("z.jpg", hint: "h")]
    #expect(outcome([original], scan) == Outcome(unchanged: 1, new: ["a.jpg", "z.jpg"]))
    let all = [original, known(2, scan[0]), known(3, scan[2])]
    for order in [scan, scan.reversed()] { #expect(outcome(all, order) == Outcome(unchanged: 3)) }
    #expect(
      outcome(all, [scan[0], item("moved.jpg", hint: "h"), scan[2]])
        == Outcome(unchanged: 2, changed: [1: "moved.jpg"]),
      "of three links one was moved")
  }

  @Test func `R95 if a move loses the identity, the content identifies the file`() {
    #expect(
      outcome(
        [known(1, item("a.jpg", hint: "h"), digest: [7]), known(2, item("b.jpg", hint: "i"), digest: [8])],
        [item("x/b.jpg", hint: "k"), item("x/a.jpg", hint: "j")], digests: ["x/a.jpg": [7], "x/b.jpg": [8]])
        == Outcome(changed: [1: "x/a.jpg", 2: "x/b.jpg"]))
  }

  @Test func `R95 without file keys an unchanged file in its place is the same and is not read`() {
    var asked: [String] = []
    // Files of one size and one time, as in a burst: only their names differ.
    let items = (0..<3).map { item("\($0).jpg") }
    let assets = items.enumerated().map { known(UInt32($0.offset), $0.element, digest: [UInt8($0.offset)]) }
    let result = Reconciler(known: assets).reconcile([items[2], items[0], items[1]]) { file, _ in
      asked.append(file.locator)
      return nil
    }
    #expect(result.outcome == Outcome(unchanged: 3) && asked == [])
    // Assets whose storage gave file keys once and gives none any more.
    let hinted = [known(1, item("a.jpg", hint: "1")), known(2, item("b.jpg", hint: "2"))]
    #expect(outcome(hinted, [item("b.jpg"), item("a.jpg")]) == Outcome(changed: [1: "a.jpg", 2: "b.jpg"]))
  }

  @Test func `R95 without file keys exchanged and shifted files are identified by their bytes`() {
    let assets = [
      known(1, item("a.jpg", version: "1"), digest: [1]), known(2, item("b.jpg", version: "2"), digest: [2]),
      known(3, item("c.jpg", version: "3"), digest: [3]),
    ]
    let swapped = [item("a.jpg", version: "2"), item("b.jpg", version: "1"), item("c.jpg", version: "3")]
    #expect(
      outcome(assets, swapped, digests: ["a.jpg": [2], "b.jpg": [1]])
        == Outcome(unchanged: 1, changed: [1: "b.jpg", 2: "a.jpg"]))
    let shifted = [item("b.jpg", version: "1"), item("c.jpg", version: "2"), item("d.jpg", version: "3")]
    #expect(
      outcome(assets, shifted, digests: ["b.jpg": [1], "c.jpg": [2], "d.jpg": [3]])
        == Outcome(changed: [1: "b.jpg", 2: "c.jpg", 3: "d.jpg"]))
    let hashed = ["hash:md5:1", "hash:md5:2"]
    #expect(
      outcome(
        [known(1, item("a.jpg", version: hashed[0])), known(2, item("b.jpg", version: hashed[1]))],
        [item("a.jpg", version: hashed[1]), item("b.jpg", version: hashed[0])])
        == Outcome(changed: [1: "b.jpg", 2: "a.jpg"]))
  }

  @Test func `R95 without file keys a file edited or touched in place is the same asset`() {
    let assets = [
      known(1, item("a.jpg", version: "1"), digest: [7]), known(2, item("b.jpg", version: "2"), digest: [7]),
    ]
    let edited = [item("a.jpg", version: "8"), item("b.jpg", version: "9")]
    #expect(
      outcome(assets, edited, digests: ["a.jpg": [8], "b.jpg": [9]])
        == Outcome(changed: [1: "a.jpg", 2: "b.jpg"], needingFacts: [1, 2]))
    #expect(
      outcome(assets, edited, digests: ["a.jpg": [7], "b.jpg": [7]])
        == Outcome(changed: [1: "a.jpg", 2: "b.jpg"], needingFacts: [1, 2]), "two of the same bytes")
  }

  private func trashed(_ asset: AssetRecord) -> AssetRecord {
    var asset = asset
    asset.row.flags.insert(.trashed)
    return asset
  }

  @Test func `R14 R142 bytes equal to a trashed photo's are another photo, wherever they are put`() {
    let hash = "hash:md5:1"
    let assets = [
      trashed(known(1, item("a.jpg", hint: "h"), digest: [7])), trashed(known(2, item("b.jpg"), ends: [8])),
      trashed(known(3, item("c.jpg", version: hash))),
    ]
    #expect(
      outcome(
        assets, [item("x/a.jpg", hint: "i"), item("x/b.jpg"), item("x/c.jpg", version: hash)],
        digests: ["x/a.jpg": [7]],
        ends: ["x/b.jpg": [8]]) == Outcome(new: ["x/a.jpg", "x/b.jpg", "x/c.jpg"], missing: [1, 2, 3]))
    #expect(
      outcome(assets, [item("to/a.jpg", hint: "h")]) == Outcome(changed: [1: "to/a.jpg"], missing: [2, 3]),
      "the very file")
  }

  @Test func `R14 R142 a file in a trashed photo's place is another photo, parts of groups included`() {
    let group = item("a.jpg", hint: "h", others: [file("a.dng", hint: "r", role: .raw)])
    #expect(
      outcome([trashed(known(1, group))], [item("a.jpg", hint: "i", version: "2")])
        == Outcome(new: ["a.jpg"], missing: [1]))
    #expect(
      outcome([trashed(known(1, group))], [item("a.dng", hint: "i", version: "2")])
        == Outcome(new: ["a.dng"], missing: [1]))
    #expect(
      outcome([trashed(known(1, group))], [item("a.dng", hint: "r")])
        == Outcome(unchanged: 1), "the very file, which has yet to follow the photo")
    let raw = trashed(known(2, item("a.dng", hint: "r")))
    let again = item("a.jpg", hint: "i", others: [file("a.dng", hint: "j", version: "2", role: .raw)])
    #expect(outcome([raw], [again]) == Outcome(new: ["a.jpg"], missing: [2]))
  }

  @Test func `R95 with the storage's hashes nothing is read to find a moved file`() {
    let (one, two) = ("hash:md5:1", "hash:md5:2")
    var asked: [String] = []
    let result = Reconciler(known: [
      known(1, item("a.jpg", version: one)), known(2, item("b.jpg", version: two), digest: [8]),
    ])
    .reconcile([item("x.jpg", version: "hash:md5:3"), item("y.jpg", version: two), item("z.jpg", version: one)]) {
      file, _ in
      asked.append(file.locator)
      return [8]
    }
    #expect(asked == [])
    #expect(result.outcome == Outcome(changed: [1: "z.jpg", 2: "y.jpg"], new: ["x.jpg"]))
  }

  @Test
  func `a file changed in place is the same asset, even if a copy of its old bytes arrived meanwhile`() {
    #expect(
      outcome(
        [known(1, item("a.jpg", version: "hash:md5:1"))],
        [item("a.jpg", version: "hash:md5:2"), item("c.jpg", version: "hash:md5:1")])
        == Outcome(changed: [1: "a.jpg"], needingFacts: [1], new: ["c.jpg"]))
  }

  @Test func `one lost asset is found in one of two equal files`() {
    let result = outcome(
      [known(1, item("a.jpg"), digest: [7])], [item("x.jpg"), item("y.jpg")], digests: ["x.jpg": [7], "y.jpg": [7]])
    #expect(result.changed.count == 1 && result.new.count == 1 && result.missing.isEmpty)
  }

  @Test func `R95 a moved remote file is identified by its ends without reading it whole`() {
    let assets = [
      known(1, item("a.jpg"), ends: [7]), known(2, item("b.jpg"), ends: [8]), known(3, item("c.jpg"), digest: [9]),
    ]
    var asked: [String] = []
    let scan = [item("x.jpg"), item("y.jpg"), item("z.jpg")]
    let result = Reconciler(known: assets).reconcile(scan) { file, kind in
      asked.append("\(file.locator) \(kind)")
      return (kind == .digest ? ["z.jpg": [9]] : ["x.jpg": [8], "y.jpg": [7], "z.jpg": [6]])[file.locator]
    }
    #expect(result.outcome == Outcome(changed: [1: "y.jpg", 2: "x.jpg", 3: "z.jpg"]))
    #expect(asked == ["x.jpg endsDigest", "y.jpg endsDigest", "z.jpg digest"])
    #expect(
      outcome([known(1, item("a.jpg"), ends: [7])], [item("b.jpg")], ends: ["b.jpg": [8]])
        == Outcome(new: ["b.jpg"], missing: [1]))
  }

  @Test func `only a file of a lost asset's size is read`() {
    let assets = [known(1, item("gone.jpg", size: 50), digest: [7]), known(2, item("kept.jpg", size: 60), digest: [8])]
    var asked: [String] = []
    let scan = [
      item("kept.jpg", size: 60), item("other.jpg", size: 60), item("found.jpg", size: 50), item("small.jpg", size: 49),
    ]
    let result = Reconciler(known: assets).reconcile(scan) { file, _ in
      asked.append(file.locator)
      return [7]
    }
    #expect(asked == ["found.jpg"])
    #expect(result.outcome == Outcome(unchanged: 1, changed: [1: "found.jpg"], new: ["other.jpg", "small.jpg"]))
  }

  @Test func `an unreadable file is a new one`() {
    #expect(outcome([known(1, item("a.jpg"), digest: [7])], [item("b.jpg")]) == Outcome(new: ["b.jpg"], missing: [1]))
  }

  @Test func `an added, removed or changed sidecar is a change of its photo`() {
    let sidecar = file("a.xmp", version: "s1", role: .sidecar)
    let bare = item("a.jpg", hint: "h")
    let full = item("a.jpg", hint: "h", others: [sidecar])
    let edited = item("a.jpg", hint: "h", others: [file("a.xmp", version: "s2", role: .sidecar)])
    for (before, after) in [(bare, full), (full, bare), (full, edited)] {
      #expect(outcome([known(1, before)], [after]) == Outcome(changed: [1: "a.jpg"], needingFacts: [1]))
    }
  }
}
