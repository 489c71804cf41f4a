import Broker
import PhotoModel

/// Files that scans skipped, and those that they could not examine.
struct LeftOut {
  /// For the library's owner.
  private(set) var files = SkippedFiles()
  /// Most unusable files that are known as such. Further ones are read again in each scan.
  private static let unusableLimit = 100_000
  var unusable: [ExactText: IndexJob.Unusable] = [:]
  /// Unusable sidecars of usable photos. A photo is not read again for its sidecar.
  var unusableSidecars: [ExactText: IndexJob.Unusable] { unusable.filter { $0.value.reason.code.isOfSidecar } }
  /// Missing or unreadable folders.
  private(set) var offline: [StorageFolder] = []
  /// Refused files, and missing ones that do not count as deleted yet.
  private var unseen: Set<ExactText> = []

  /// Whether a file is already named to the owner, or the list is full.
  func names(_ locator: String) -> Bool { files.contains(locator) || files.isPartial }

  /// Whether the known facts of a file may be outdated, because the file could not be examined.
  func isOffline(_ locator: String) -> Bool {
    unseen.contains(ExactText(locator)) || offline.contains { $0.contains(locator) }
  }

  /// Replaces the entries of the scanned folders by the scan's result.
  mutating func take(_ outcome: IndexJob.Outcome) {
    files = outcome.skipped
    guard let folders = outcome.folders else {
      unusable = outcome.unusable
      offline = outcome.offline
      unseen = outcome.unseen
      return limitUnusable()
    }
    unusable = unusable.filter { file, _ in !folders.contains { $0.contains(file.text) } }
    unusable.merge(outcome.unusable) { _, new in new }
    limitUnusable()
    offline.removeAll { folder in folders.contains { $0.isDeep ? $0.contains(folder.path) : $0.path == folder.path } }
    offline += outcome.offline
    unseen = unseen.filter { file in !folders.contains { $0.contains(file.text) } }.union(outcome.unseen)
  }

  private mutating func limitUnusable() {
    let excess = unusable.count - Self.unusableLimit
    if excess > 0 { for file in Array(unusable.keys.prefix(excess)) { unusable[file] = nil } }
  }
}
