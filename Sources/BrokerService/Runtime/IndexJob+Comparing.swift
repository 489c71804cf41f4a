import Broker
import Catalogue
import Indexer
import PhotoModel
import PluginHost
import PluginKit

extension IndexJob {
  /// What a look saw, against what the library knows.
  struct Compared {
    let seen: Seen
    private(set) var result: Reconciliation
    private(set) var due = StorageNews.nothing

    init(_ seen: Seen, _ result: Reconciliation) {
      self.seen = seen
      self.result = result
      // What cannot be looked at has neither gone nor lost a file.
      self.result.missing.removeAll { seen.isOffline($0) || seen.isRefused($0) }
      self.result.changed.removeAll { seen.isOffline($0.known) && $0.needsFacts || seen.isRefused($0.known) }
      // Any of them may be a known one.
      if seen.scan.refused.areSomeUnknown { self.result.missing.removeAll() }
    }

    /// Assets whose files are nowhere.
    var gone: [AssetRecord] { result.missing.filter { !$0.row.flags.contains(.trashed) } }

    /// Files that are there, but for those of trashed assets, and for photos and videos that are looked into.
    var filesNotLookedInto: [String] {
      let looked = result.new + result.changed.lazy.filter(\.needsFacts).map(\.item)
      let trashed = seen.known.lazy.filter { $0.row.flags.contains(.trashed) }.flatMap(\.resources)
      let others = Set(looked.map { ExactText($0.primary.locator) }).union(trashed.map { ExactText($0.locator) })
      return seen.scan.items.lazy.flatMap(\.files).map(\.locator).filter { !others.contains(ExactText($0)) }
    }

    /// Does not take these for gone.
    mutating func keep(_ missed: [AssetRecord]) {
      guard !missed.isEmpty else { return }
      let numbers = Set(missed.map(\.row.number))
      result.missing.removeAll { numbers.contains($0.row.number) }
    }

    /// Whose the files were of what this look found to be new, changed or gone.
    var priorFiles: PriorFiles {
      guard !seen.known.isEmpty else { return PriorFiles() }
      return PriorFiles(
        known: seen.known, altered: gone + result.changed.map(\.known),
        found: (result.new + result.changed.map(\.item)).flatMap(\.files).map { ($0.locator, $0.identityHint) },
        seen: seen.scan.items.lazy.flatMap(\.files).compactMap(\.identityHint))
    }

    /// New files that the storage knows by what a known one is known by, which has its own place:
    /// links to it, or it moved.
    private var doubles: [ScannedItem] {
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

    /// Whether a file that moved while folder after folder was read would look like this.
    var isUnsure: Bool { !gone.isEmpty || !doubles.isEmpty }

    /// Leaves what is unsure to the next look, which goes where it was and is.
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

  /// How often a look begins again where files move meanwhile.
  private static let secondLooks = 3

  /// Looks, and compares what is there with what is known.
  ///
  /// Folders are read one after the other. A file that meanwhile moves into one that was read
  /// before seems to be gone, and one that moves into one that comes later seems to be there twice;
  /// either way its asset would be another one afterwards (R95). The storage has noticed the move
  /// by then, where it watches: only what it has no news of is as it seems. One that does not watch
  /// is looked at twice, and one that has news without end is believed after some looks.
  func compare() throws(StorageFailure) -> Compared {
    var compared = try compared(folders)
    guard compared.isUnsure else { return compared }
    let watches = try storage.facts().changeDetection == "watch"
    for number in 0..<Self.secondLooks {
      let news: StorageNews = watches ? try storage.waitForChanges(.zero) : number == 0 ? .anywhere : .nothing
      switch news {
      case .nothing: return compared
      case .anywhere: compared = try self.compared(nil)
      case .folders(let more): compared = try self.compared(compared.seen.folders.map { $0 + more })
      }
      guard compared.isUnsure else { return compared }
    }
    if mayPostpone { compared.postpone() }
    return compared
  }

  private func compared(_ folders: [StorageFolder]?) throws(StorageFailure) -> Compared {
    var seen = try see(folders)
    seen.scan.items = parted(seen.scan.items, known: seen.known)
    return Compared(
      seen,
      Reconciler(known: seen.known, factsVersion: media.factsVersion, zone: builder.zone).reconcile(seen.scan.items) {
        digest(of: $0, $1)
      })
  }
}
