import Broker
import Catalogue
import PhotoModel

/// The assets whose metadata one token received today, in the version it received. Two bytes an
/// asset, indexed by asset number.
///
/// A changed asset is noted again, and so is a request on another day: the ledger records the
/// readers of each day.
struct NotedAssets {
  /// Days since 1970.
  private let day: Int64
  /// The received versions; 0: not received.
  private var marks: [UInt16] = []

  init(at time: Timestamp) { day = Self.day(time) }

  func isCurrent(at time: Timestamp) -> Bool { Self.day(time) == day }

  func contains(_ asset: AssetFacts) -> Bool {
    let index = Int(asset.number.rawValue)
    return index < marks.count && marks[index] == Self.mark(asset)
  }

  mutating func insert(_ asset: AssetFacts) {
    let index = Int(asset.number.rawValue)
    if index >= marks.count { marks.append(contentsOf: repeatElement(0, count: index + 1 - marks.count)) }
    marks[index] = Self.mark(asset)
  }

  private static func mark(_ asset: AssetFacts) -> UInt16 { UInt16(truncatingIfNeeded: asset.visibleState >> 48) | 1 }

  private static func day(_ time: Timestamp) -> Int64 { time.microseconds / 86_400_000_000 }
}
