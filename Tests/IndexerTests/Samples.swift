import Broker
import Catalogue
import Indexer
import PhotoModel

/// A scanned file with defaults for all that a test does not name.
func file(
  _ locator: String, hint: String? = nil, version: String = "1", size: Int64 = 100, role: ResourceRole = .original
) -> ItemFile {
  ItemFile(
    role: role, locator: locator, filename: locator.split(separator: "/").last.map(String.init) ?? locator, size: size,
    contentVersion: version, identityHint: hint, modified: Timestamp(seconds: 1_500_000_000)!)
}

func item(
  _ locator: String, hint: String? = nil, version: String = "1", size: Int64 = 100, others: [ItemFile] = []
) -> StorageItem {
  StorageItem(primary: file(locator, hint: hint, version: version, size: size), others: others)
}

/// The library's record of an item, as `AssetBuilder` makes it.
func known(_ number: UInt32, _ item: StorageItem, digest: [UInt8]? = nil, ends: [UInt8]? = nil) -> AssetRecord {
  var record = AssetBuilder(zone: .fixed(minutes: 0), now: Timestamp(seconds: 1_600_000_000)!)
    .record(
      item, facts: ItemFacts(mediaType: .image, contentType: "image/jpeg"),
      proof: ContentProof(digest: digest, endsDigest: ends))
  record.row.number = AssetNumber(number)
  return record
}

extension Reconciler {
  /// A reconciler for records of today's rules and zone.
  init(known: [AssetRecord]) { self.init(known: known, factsVersion: 0, zone: .fixed(minutes: 0)) }
}

/// A scan's result, by asset number and path.
struct Outcome: Equatable {
  var unchanged = 0
  /// Asset numbers with their new paths.
  var changed: [UInt32: String] = [:]
  var needingFacts: Set<UInt32> = []
  var new: Set<String> = []
  var missing: Set<UInt32> = []
}

extension Reconciliation {
  var outcome: Outcome {
    Outcome(
      unchanged: unchanged,
      changed: Dictionary(
        uniqueKeysWithValues: changed.map { ($0.known.row.number.rawValue, $0.item.primary.locator) }),
      needingFacts: Set(changed.filter(\.needsFacts).map(\.known.row.number.rawValue)),
      new: Set(new.map(\.primary.locator)), missing: Set(missing.map(\.row.number.rawValue)))
  }
}
