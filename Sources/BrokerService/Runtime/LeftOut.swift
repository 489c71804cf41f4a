import Broker
import PhotoModel

/// Files that scans skipped, with the reasons.
struct LeftOut {
  var count: Int { files.count + unnamed }
  /// Some of them, for the library's owner.
  private(set) var files: [IndexJob.Skipped] = []
  /// Number of the others, whose locators are unknown.
  private var unnamed = 0
  var unusable: [ExactText: IndexJob.Unusable] = [:]
  /// Damaged sidecars of usable photos. A photo is not read again for its sidecar.
  var damagedSidecars: [ExactText: IndexJob.Unusable] { unusable.filter { $0.value.reason.code == .sidecarUnreadable } }
  /// Missing or unreadable folders.
  private(set) var offline: [StorageFolder] = []
  /// Refused files, and missing ones that do not count as deleted yet.
  private var unseen: Set<ExactText> = []

  init() {}

  /// Named files that are refused as hard links. No event tells when the other link goes.
  var hardLinked: [String] { files.filter { $0.reason.code == .fileHardLinked }.map(\.locator) }

  /// Whether a file is already named to the owner, or the list is full.
  func names(_ locator: String) -> Bool {
    files.count >= IndexJob.namedSkips || files.contains { ExactText($0.locator) == ExactText(locator) }
  }

  /// Whether the known facts of a file may be outdated, because the file could not be examined.
  func isOffline(_ locator: String) -> Bool {
    unseen.contains(ExactText(locator)) || offline.contains { $0.contains(locator) }
  }

  /// Merges a scan's result, for its folders. The number of unnamed files can only grow until the
  /// next full scan counts them again.
  /// - Returns: Whether a file is newly skipped.
  mutating func take(_ outcome: IndexJob.Outcome) -> Bool {
    let former = (count: count, files: Set(files))
    guard let folders = outcome.folders else {
      files = outcome.skippedFiles
      unnamed = outcome.skipped - files.count
      unusable = outcome.unusable
      offline = outcome.offline
      unseen = outcome.unseen
      return count > former.count || files.contains { !former.files.contains($0) }
    }
    files.removeAll { file in folders.contains { $0.contains(file.locator) } }
    let named = outcome.skippedFiles.prefix(max(0, IndexJob.namedSkips - files.count))
    files += named
    unnamed = max(unnamed, outcome.skipped - named.count)
    unusable = unusable.filter { file, _ in !folders.contains { $0.contains(file.text) } }
    unusable.merge(outcome.unusable) { _, new in new }
    offline.removeAll { folder in folders.contains { $0.isDeep ? $0.contains(folder.path) : $0.path == folder.path } }
    offline += outcome.offline
    unseen = unseen.filter { file in !folders.contains { $0.contains(file.text) } }.union(outcome.unseen)
    return count > former.count || files.contains { !former.files.contains($0) }
  }
}
