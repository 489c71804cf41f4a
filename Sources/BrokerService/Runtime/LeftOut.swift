import Broker
import PhotoModel

/// What the looks at a library's storage left out, and why.
struct LeftOut {
  /// Files of which nothing can be served.
  var count: Int { files.count + unnamed }
  /// Some of them, for the library's owner.
  private(set) var files: [IndexJob.Skipped] = []
  /// How many there are beside these. Where they lie is not known.
  private var unnamed = 0
  /// Files that were looked into in vain, by locator.
  var unusable: [ExactText: IndexJob.Unusable] = [:]
  /// Those of them beside photos that are there: a photo is not looked into anew for its sidecar.
  var damagedSidecars: [ExactText: IndexJob.Unusable] { unusable.filter { $0.value.reason.code == .sidecarUnreadable } }
  /// Folders that are away or cannot be read.
  private(set) var offline: [StorageFolder] = []
  /// Files of which the storage says what is refused, or which are missed and not taken for deleted yet.
  private var unseen: Set<ExactText> = []

  init() {}

  /// Files that are named and left out for a second name: nothing tells when that goes, wherever it is.
  var hardLinked: [String] { files.filter { $0.reason.code == .fileHardLinked }.map(\.locator) }

  /// Whether a file is named to the owner, or so many others that it need not be.
  func names(_ locator: String) -> Bool {
    files.count >= IndexJob.namedSkips || files.contains { ExactText($0.locator) == ExactText(locator) }
  }

  /// Whether what is known of a file may not be so any more, since nothing could be seen of it.
  func isOffline(_ locator: String) -> Bool {
    unseen.contains(ExactText(locator)) || offline.contains { $0.contains(locator) }
  }

  /// Takes in what a look found, in the places that it looked at. Of files that it does not name as
  /// many are taken for known ones as are known anywhere; the next look at everything counts them
  /// anew.
  /// - Returns: Whether a file is left out that was not known to be.
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
