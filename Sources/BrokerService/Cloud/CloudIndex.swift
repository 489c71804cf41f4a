import Catalogue
import Cryptography
import Macaroons

/// Cloud identifiers of the assets that one app may see in a library, and the reverse lookup.
///
/// Invisible assets are not in it, so a lookup of a hidden photo behaves like one of an unknown
/// photo (R105).
struct CloudIndex {
  /// Half of a cloud identifier's SHA-256. A million full texts would take a hundred megabytes.
  struct Key: Hashable {
    private let high: UInt64
    private let low: UInt64

    /// Nil for texts that no mapping makes.
    init?(_ text: String) {
      guard (1...256).contains(text.utf8.count), let digest = try? SHA256.digest(of: Array(text.utf8)).bytes else {
        return nil
      }
      high = digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
      low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private struct Entry {
    /// Version of the row when it was named; another version may have other bytes.
    var version: UInt32
    var key: Key?
    /// The last walk that visited the asset.
    var walk: UInt32
  }

  /// The facts that the named bytes are without.
  var withheld: WithheldFacts = []
  private var entries: [AssetNumber: Entry] = [:]
  private var assets: [Key: [AssetNumber]] = [:]
  private var walk: UInt32 = 0
  /// Whether all visible assets were named. False if some are remote and cannot be read in full
  /// now.
  var isWhole = true

  /// Assets of this name, by number. Some may be gone since the last walk.
  func assets(named key: Key) -> [AssetNumber] { (assets[key] ?? []).sorted() }

  /// Begins a walk over all visible assets: ``meet(_:version:)`` for each, then ``finishWalk()``.
  mutating func beginWalk() {
    walk &+= 1
    isWhole = true
  }

  /// Notes that an asset is visible.
  /// - Returns: Whether it has to be named, for the first time or again.
  mutating func meet(_ number: AssetNumber, version: UInt32) -> Bool {
    guard var entry = entries[number], entry.version == version else {
      forget(number)
      return true
    }
    entry.walk = walk
    entries[number] = entry
    return false
  }

  mutating func name(_ number: AssetNumber, version: UInt32, _ name: String?) {
    let key = name.flatMap { Key($0) }
    entries[number] = Entry(version: version, key: key, walk: walk)
    if let key { assets[key, default: []].append(number) }
  }

  mutating func finishWalk() {
    for (number, entry) in entries where entry.walk != walk { forget(number) }
  }

  private mutating func forget(_ number: AssetNumber) {
    guard let entry = entries.removeValue(forKey: number), let key = entry.key else { return }
    assets[key]?.removeAll { $0 == number }
    if assets[key]?.isEmpty == true { assets[key] = nil }
  }
}
