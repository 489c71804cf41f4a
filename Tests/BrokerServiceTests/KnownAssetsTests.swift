import Broker
import Catalogue
import Indexer
import PhotoModel
import PluginHost
import PluginKit
import Testing

@testable import BrokerService

/// The known assets that a scan reads after its listing.
struct KnownAssetsTests {
  private func item(_ locator: String) -> StorageItem {
    let file = ItemFile(
      role: .original, locator: locator, filename: locator, size: 100, contentVersion: "1", identityHint: nil,
      modified: Timestamp(seconds: 1_500_000_000)!)
    return StorageItem(primary: file, others: [])
  }

  private func asset(_ locator: String, _ number: UInt32) -> AssetRecord {
    let facts = ItemFacts(mediaType: .image, contentType: "image/jpeg")
    var record = AssetBuilder(zone: .fixed(minutes: 0), now: Timestamp(seconds: 1_600_000_000)!)
      .record(item(locator), facts: facts, proof: ContentProof(digest: [7]))
    record.row.number = AssetNumber(number)
    return record
  }

  @Test func `R43 R142 a file added after a folder was read is not mistaken for missing or moved`() {
    let assets = [asset("gone.jpg", 1), asset("there.jpg", 2), asset("unseen.jpg", 3), asset("seen.jpg", 4)]
    let scan = StorageListing(items: ["there.jpg", "seen.jpg", "copy of unseen.jpg"].map(item))
    let placed: Set = [AssetNumber(3), AssetNumber(4)]
    let known = KnownAssets(assets: assets, placed: placed).seen(by: scan)
    #expect(known.map(\.row.number.rawValue) == [1, 2, 4])
    let found = Reconciler(known: known, factsVersion: 0, zone: .fixed(minutes: 0)).reconcile(scan.items) { _, _ in [7]
    }
    #expect(
      found.missing.isEmpty && found.changed.map(\.known.row.number.rawValue) == [1],
      "what is gone moved, as its bytes say")
    #expect(found.changed.map(\.item.primary.locator) == ["copy of unseen.jpg"] && found.new.isEmpty)
    #expect(KnownAssets(assets: assets).seen(by: scan).count == 4)
  }

  private func item(_ locator: String, _ hint: String) -> StorageItem {
    var item = item(locator)
    item.primary.identityHint = hint
    return item
  }

  private func compared(
    known: [(String, String)], there: [(String, String)], offline: [String] = [], refused: RefusedItems = RefusedItems()
  ) -> ScanComparison {
    let facts = ItemFacts(mediaType: .image, contentType: "image/jpeg")
    let builder = AssetBuilder(zone: .fixed(minutes: 0), now: Timestamp(seconds: 1_600_000_000)!)
    let assets = known.enumerated().map { index, place in
      var record = builder.record(item(place.0, place.1), facts: facts, proof: ContentProof())
      record.row.number = AssetNumber(UInt32(index + 1))
      return record
    }
    var seen = StorageSurvey(scan: StorageListing(items: there.map { item($0.0, $0.1) }), known: assets)
    seen.scan.refused = refused
    seen.offline = offline.map { StorageFolder(path: $0, isDeep: true) }
    return ScanComparison(
      seen,
      Reconciler(known: assets, factsVersion: 0, zone: .fixed(minutes: 0)).reconcile(seen.scan.items) { _, _ in nil })
  }

  @Test func `R95 a wrongly listed file is neither gone nor another photo`() {
    let known = [("a/1.jpg", "i1"), ("b/2.jpg", "i2"), ("b/3.jpg", "i3")]
    func gone(_ items: [[(locator: String, identityHint: String?)]]) -> [String] {
      var refused = RefusedItems()
      for item in items { refused.take(item, "It is wrong.", of: item.first?.locator) }
      return compared(known: known, there: [known[1]], refused: refused).gone.compactMap { $0.resources.first?.locator }
    }
    #expect(gone([]) == ["a/1.jpg", "b/3.jpg"])
    #expect(gone([[("a/1.jpg", nil)]]) == ["b/3.jpg"], "it is where it was")
    #expect(gone([[("c/9.jpg", nil), ("b/3.jpg", nil)]]) == ["a/1.jpg"], "any of an item's files")
    #expect(gone([[("c/1.jpg", "i1")]]) == ["b/3.jpg"], "it moved, and is known again by its identity")
    for unknown in [[], [("../a", nil)], [("c/1.jpg", nil), ("", nil)]] as [[(locator: String, identityHint: String?)]]
    {
      #expect(gone([unknown]) == [], "it may be any of them")
    }
    let many = (0..<10_001).map { [("x/\($0).jpg", nil)] as [(locator: String, identityHint: String?)] }
    #expect(gone(many) == [])
  }

  @Test func `R95 a file that seems to be moving is unsure and left to the next scan`() {
    let known = [("a/1.jpg", "i1"), ("b/2.jpg", "i2")]
    #expect(!compared(known: known, there: known).isUnsure)
    #expect(!compared(known: known, there: known + [("c/3.jpg", "i3")]).isUnsure, "a new file")
    #expect(!compared(known: known, there: [("c/1.jpg", "i1"), known[1]]).isUnsure, "it moved, and was seen once")
    #expect(!compared(known: known, there: [known[1]], offline: ["a"]).isUnsure, "its folder is away")
    for there in [[known[1]], known + [("c/1.jpg", "i1")]] {
      var found = compared(known: known, there: there)
      #expect(found.isUnsure && found.due == .nothing)
      found.postpone()
      #expect(!found.isUnsure && found.gone.isEmpty && found.result.new.isEmpty)
      #expect(found.due == .folders([StorageFolder(path: there.count == 1 ? "a" : "c", isDeep: false)]))
    }
  }

  @Test func `R43 files that a scan does not open are distinguished`() {
    let facts = ItemFacts(mediaType: .image, contentType: "image/jpeg")
    let builder = AssetBuilder(zone: .fixed(minutes: 0), now: Timestamp(seconds: 1_600_000_000)!)
    let known = ["same.jpg", "moved.jpg", "trashed.jpg", "edited.jpg"].enumerated().map { index, name in
      var record = builder.record(item(name, "i\(index)"), facts: facts, proof: ContentProof())
      record.row.number = AssetNumber(UInt32(index + 1))
      if name == "trashed.jpg" { record.row.flags.insert(.trashed) }
      return record
    }
    var items = [
      item("same.jpg", "i0"), item("to/moved.jpg", "i1"), item("trashed.jpg", "i2"), item("edited.jpg", "i3"),
      item("new.jpg", "i4"),
    ]
    items[3].primary.contentVersion = "2"
    var raw = item("new.dng", "i5").primary
    raw.role = .raw
    items[4].others = [raw]
    let compared = ScanComparison(
      StorageSurvey(scan: StorageListing(items: items), known: known),
      Reconciler(known: known, factsVersion: 0, zone: .fixed(minutes: 0)).reconcile(items) { _, _ in nil })
    #expect(compared.filesNotLookedInto == ["same.jpg", "to/moved.jpg", "new.dng"])
  }
}
