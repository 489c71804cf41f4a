import Broker
import Catalogue
import Indexer
import PhotoModel
import Testing

@testable import BrokerService

/// What a look at the storage reads of what is known, after it looked.
struct KnownAssetsTests {
  private func item(_ locator: String) -> ScannedItem {
    let file = ScannedItem.File(
      role: .original, locator: locator, filename: locator, size: 100, contentVersion: "1", identityHint: nil,
      modified: Timestamp(seconds: 1_500_000_000)!)
    return ScannedItem(primary: file, others: [])
  }

  private func asset(_ locator: String, _ number: UInt32) -> AssetRecord {
    let facts = ItemFacts(mediaType: .image, contentType: "image/jpeg")
    var record = AssetBuilder(zoneOffsetMinutes: 0, now: Timestamp(seconds: 1_600_000_000)!)
      .record(item(locator), facts: facts, proof: ContentProof(digest: [7]))
    record.row.number = AssetNumber(number)
    return record
  }

  @Test func `R43 R142 what was placed after a folder was read is not taken for missing, nor for what moved elsewhere`() {
    let assets = [asset("gone.jpg", 1), asset("there.jpg", 2), asset("unseen.jpg", 3), asset("seen.jpg", 4)]
    let scan = StorageScan(items: ["there.jpg", "seen.jpg", "copy of unseen.jpg"].map(item), skipped: 0)
    let placed: Set = [AssetNumber(3), AssetNumber(4)]
    let known = IndexJob.Known(assets: assets, placed: placed).seen(by: scan)
    #expect(known.map(\.row.number.rawValue) == [1, 2, 4])
    let found = Reconciler(known: known).reconcile(scan.items) { _, _ in [7] }
    #expect(found.missing.isEmpty && found.changed.map(\.known.row.number.rawValue) == [1], "what is gone moved, as its bytes say")
    #expect(found.changed.map(\.item.primary.locator) == ["copy of unseen.jpg"] && found.new.isEmpty)
    #expect(IndexJob.Known(assets: assets).seen(by: scan).count == 4)
  }
}
