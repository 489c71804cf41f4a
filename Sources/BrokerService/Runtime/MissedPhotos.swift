import Broker
import Catalogue
import Monitor
import PhotoModel

/// Photos that a storage stopped listing many at a time.
///
/// A disk that is away behind a far server, or a page to sign in, looks like a folder in which
/// everything was deleted. Where a storage names volumes that is told apart; any other one is
/// believed when it still says so after a while, or when the owner has it looked at again
/// meanwhile.
struct MissedPhotos {
  /// For how long.
  static let patience = Duration.seconds(3_600)
  /// So many that are gone from one folder, or from what is below it, are many where half of its photos are not more.
  static let many = 4

  /// Since when each is missed.
  private var since: [AssetNumber: MonotonicTime] = [:]
  /// Those whose owner had everything looked at again, who knew that they were missed.
  private var confirmed: Set<AssetNumber> = []

  var count: Int { since.count }

  /// Those that are taken for deleted where they are still missed.
  func believed(now: MonotonicTime = .now) -> Set<AssetNumber> {
    confirmed.union(since.lazy.filter { $0.value.advanced(by: Self.patience) <= now }.map(\.key))
  }

  /// When the next ones will be believed.
  var next: MonotonicTime? { since.values.min()?.advanced(by: Self.patience) }

  /// The owner has everything looked at again.
  mutating func confirm() { confirmed = Set(since.keys) }

  /// Takes in what a look missed.
  /// - Parameter isWhole: Whether it looked at everything: what it does not miss is there, or believed to be gone.
  mutating func take(_ missed: Set<AssetNumber>, isWhole: Bool, now: MonotonicTime = .now) {
    if isWhole { since = since.filter { missed.contains($0.key) } }
    for asset in missed where since[asset] == nil { since[asset] = now }
    confirmed.formIntersection(since.keys)
  }

  /// Of what is gone, that which is gone with many others: half of a folder, with what is below it.
  /// - Parameters:
  ///   - known: What was known where it was looked, with what is gone of it.
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

  /// The folders that a photo lies in, with the whole storage.
  private static func folders(of asset: AssetRecord) -> [ExactText] {
    guard let path = asset.resources.first.map({ Array($0.locator.utf8) }) else { return [] }
    let ends = path.indices.filter { path[$0] == UInt8(ascii: "/") }
    return [ExactText("")] + ends.map { ExactText(String(decoding: path[..<$0], as: UTF8.self)) }
  }
}
