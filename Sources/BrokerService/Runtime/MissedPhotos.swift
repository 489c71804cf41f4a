import Broker
import Catalogue
import Monitor
import PhotoModel

/// Photos that went missing from a storage many at a time.
///
/// An unmounted disk behind a remote server, or a login page, looks like a folder whose files were
/// all deleted. Storages with volumes can tell the difference. For others, missing photos count as
/// deleted after `patience`, or after a rescan by the owner.
struct MissedPhotos {
  /// Grace period.
  static let patience = Duration.seconds(3_600)
  /// Smallest number of missing photos that counts as many. They must also be at least half of
  /// their folder with its subfolders.
  static let many = 4

  /// Start of each missing photo's grace period.
  private var since: [AssetNumber: MonotonicTime] = [:]
  /// Missing photos at the time of the owner's rescan, which counts them as deleted.
  private var confirmed: Set<AssetNumber> = []

  var count: Int { since.count }

  /// Photos that count as deleted if they are still missing.
  func believed(now: MonotonicTime = .now) -> Set<AssetNumber> {
    confirmed.union(since.lazy.filter { $0.value.advanced(by: Self.patience) <= now }.map(\.key))
  }

  var next: MonotonicTime? { since.values.min()?.advanced(by: Self.patience) }

  mutating func confirm() { confirmed = Set(since.keys) }

  /// Merges the missing photos of a scan.
  /// - Parameter isWhole: Whether it was a full scan, after which all other photos are present or
  ///   deleted.
  mutating func take(_ missed: Set<AssetNumber>, isWhole: Bool, now: MonotonicTime = .now) {
    if isWhole { since = since.filter { missed.contains($0.key) } }
    for asset in missed where since[asset] == nil { since[asset] = now }
    confirmed.formIntersection(since.keys)
  }

  /// The missing photos that are at least half of a folder with its subfolders.
  /// - Parameter known: The known photos of the scanned folders, missing ones included.
  static func among(_ gone: [AssetRecord], known: [AssetRecord]) -> Set<AssetNumber> {
    guard gone.count >= many else { return [] }
    var missing: [ExactText: Int] = [:]
    for asset in gone { for folder in folders(of: asset) { missing[folder, default: 0] += 1 } }
    missing = missing.filter { $0.value >= many }
    var all: [ExactText: Int] = [:]
    for asset in known {
      for folder in folders(of: asset) where missing[folder] != nil { all[folder, default: 0] += 1 }
    }
    let emptied = Set(missing.lazy.filter { $0.value * 2 >= all[$0.key] ?? 0 }.map(\.key))
    return Set(gone.lazy.filter { folders(of: $0).contains(where: emptied.contains) }.map(\.row.number))
  }

  private static func folders(of asset: AssetRecord) -> [ExactText] {
    guard let path = asset.resources.first.map({ Array($0.locator.utf8) }) else { return [] }
    let ends = path.indices.filter { path[$0] == UInt8(ascii: "/") }
    return [ExactText("")] + ends.map { ExactText(String(decoding: path[..<$0], as: UTF8.self)) }
  }
}
