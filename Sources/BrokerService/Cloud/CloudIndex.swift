import Catalogue
import Cryptography

/// Cloud identifiers of what one app may see in a library, and the way back from them.
///
/// Nothing that the app may not see is in it: to look up a hidden photo is to look up nothing, in every respect (R105).
struct CloudIndex {
  /// What stands for a cloud identifier: half of its SHA-256, since a million texts would take a hundred megabytes.
  struct Key: Hashable {
    private let high: UInt64
    private let low: UInt64

    /// Nil for texts that are no mapping's.
    init?(_ text: String) {
      guard (1...256).contains(text.utf8.count), let digest = try? SHA256.digest(of: Array(text.utf8)).bytes else {
        return nil
      }
      high = digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
      low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private struct Entry {
    /// Of the row when it was named: another one may have other bytes.
    var version: UInt32
    var key: Key?
    /// The last walk that met it.
    var walk: UInt32
  }

  private var entries: [AssetNumber: Entry] = [:]
  private var assets: [Key: [AssetNumber]] = [:]
  private var walk: UInt32 = 0
  /// Whether all that is visible was named; false where some of it is too far away to be read as a whole now.
  var isWhole = true

  /// Assets of this name, by number; those that have gone since the last walk among them.
  func assets(named key: Key) -> [AssetNumber] { (assets[key] ?? []).sorted() }

  /// Begins to look at all that is visible: ``meet(_:version:)`` for each, then ``finishWalk()``.
  mutating func beginWalk() {
    walk &+= 1
    isWhole = true
  }

  /// Notes that an asset is visible.
  /// - Returns: whether it has to be named (anew).
  mutating func meet(_ number: AssetNumber, version: UInt32) -> Bool {
    guard var entry = entries[number], entry.version == version else {
      forget(number)
      return true
    }
    entry.walk = walk
    entries[number] = entry
    return false
  }

  /// Names an asset that was met.
  mutating func name(_ number: AssetNumber, version: UInt32, _ name: String?) {
    let key = name.flatMap { Key($0) }
    entries[number] = Entry(version: version, key: key, walk: walk)
    if let key { assets[key, default: []].append(number) }
  }

  /// Forgets what was not met.
  mutating func finishWalk() {
    for (number, entry) in entries where entry.walk != walk { forget(number) }
  }

  private mutating func forget(_ number: AssetNumber) {
    guard let entry = entries.removeValue(forKey: number), let key = entry.key else { return }
    assets[key]?.removeAll { $0 == number }
    if assets[key]?.isEmpty == true { assets[key] = nil }
  }
}
