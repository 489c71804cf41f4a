import Broker
import Catalogue
import Indexer
import PhotoModel
import PluginHost

/// The differences between a scan and the known assets.
struct ScanComparison {
  let seen: StorageSurvey
  private(set) var result: Reconciliation
  private(set) var due = StorageNews.nothing

  init(_ seen: StorageSurvey, _ result: Reconciliation) {
    self.seen = seen
    self.result = result
    // A file that cannot be examined is neither missing nor changed.
    self.result.missing.removeAll { seen.isOffline($0) || seen.isRefused($0) }
    self.result.changed.removeAll { seen.isOffline($0.known) && $0.needsFacts || seen.isRefused($0.known) }
    let unknown = Set(seen.scan.leftOut.lazy.filter { $0.cause == .facts }.map { ExactText($0.path) })
    if !unknown.isEmpty {
      self.result.missing.removeAll { $0.resources.contains { unknown.contains(ExactText($0.locator)) } }
    }
    // Some refused files have no name, so each missing file may be one of them.
    if seen.scan.refused.areSomeUnknown { self.result.missing.removeAll() }
  }

  var gone: [AssetRecord] { result.missing.filter { !$0.row.flags.contains(.trashed) } }

  /// Found files whose facts are not read in this scan, without those of trashed assets.
  var filesNotLookedInto: [String] {
    let looked = result.new + result.changed.lazy.filter(\.needsFacts).map(\.item)
    let trashed = seen.known.lazy.filter { $0.row.flags.contains(.trashed) }.flatMap(\.resources)
    let others = Set(looked.map { ExactText($0.primary.locator) }).union(trashed.map { ExactText($0.locator) })
    return seen.scan.items.lazy.flatMap(\.files).map(\.locator).filter { !others.contains(ExactText($0)) }
  }

  /// Keeps assets that may only be temporarily missing.
  mutating func keep(_ missed: [AssetRecord]) {
    guard !missed.isEmpty else { return }
    let numbers = Set(missed.map(\.row.number))
    result.missing.removeAll { numbers.contains($0.row.number) }
  }

  /// The assets that had the files that this scan found to be new, changed or missing.
  /// - Parameter halves: Known halves of Live Photos, which may be joined although they are unchanged.
  func priorFiles(with halves: [AssetRecord] = []) -> PriorFiles {
    guard !seen.known.isEmpty || !halves.isEmpty else { return PriorFiles() }
    let found = (result.new + result.changed.map(\.item)).flatMap(\.files).map { ($0.locator, $0.identityHint) }
    // The joined asset is the still, so the video's file does not leave it.
    return PriorFiles(
      known: seen.known + halves,
      altered: gone + result.changed.map(\.known) + halves.filter { $0.row.mediaType == .image },
      found: found + halves.flatMap(\.resources).map { ($0.locator, $0.identityHint) },
      seen: seen.scan.items.lazy.flatMap(\.files).compactMap(\.identityHint))
  }

  /// New files with the identity of a known file that is still in its place: links to it, or it
  /// moved.
  private var doubles: [StorageItem] {
    let marks = Set(result.new.lazy.flatMap(\.files).compactMap(\.identityHint).map { ExactText($0) })
    guard !marks.isEmpty else { return [] }
    let known = Set(
      seen.known.lazy.flatMap(\.resources).filter { $0.role != .sidecar }.compactMap(\.identityHint).map {
        ExactText($0)
      }
      .filter(marks.contains))
    return known.isEmpty
      ? []
      : result.new.filter { $0.files.contains { $0.identityHint.map { known.contains(ExactText($0)) } ?? false } }
  }

  /// Whether the result could come from a file that moved during the scan.
  var isUnsure: Bool { !gone.isEmpty || !doubles.isEmpty }

  /// Leaves uncertain files to the next scan, which covers their old and new folders.
  mutating func postpone() {
    let doubles = doubles
    let places = gone.compactMap { $0.resources.first?.locator } + doubles.map(\.primary.locator)
    let folders = StorageFolder.reduced(places.map { StorageFolder(of: $0) })
    due = folders.count <= StorageFolder.listLimit ? .folders(folders) : .anywhere
    let left = Set(doubles.map { ExactText($0.primary.locator) })
    result.missing.removeAll { !$0.row.flags.contains(.trashed) }
    result.new.removeAll { left.contains(ExactText($0.primary.locator)) }
  }
}
