import Broker
import Catalogue
import Indexer
import PhotoModel
import PluginHost
import PluginKit

extension IndexJob {
  private static let secondLooks = 3
  /// Sidecars alone in their places that one scan of a remote storage asks for. Each takes a read,
  /// and further ones count as deleted.
  private static let remoteSidecars = 16

  /// Scans, and compares the found files with the known ones.
  ///
  /// Folders are read one after the other. A file that moves meanwhile can appear missing or twice;
  /// its asset would then lose its identity (R95). So an uncertain result is checked again. If the
  /// storage watches its folders, the result holds once it reports no change. Otherwise a second
  /// scan checks it. After `secondLooks` repetitions the result holds in any case.
  func compare() throws(StorageFailure) -> ScanComparison {
    var compared = try compared(folders)
    guard compared.isUnsure else { return compared }
    let watches = try storage.facts().changeDetection == .watch
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

  private func compared(_ folders: [StorageFolder]?) throws(StorageFailure) -> ScanComparison {
    var seen = try see(folders)
    seen.scan.items = detached(withoutLeftOutSidecars(seen.scan.items, known: seen.known), known: seen.known)
    guard let missing = missing(seen.scan.items, known: seen.known) else { throw Self.unknown }
    var remoteLeft = Self.remoteSidecars
    let reconciler = Reconciler(
      known: seen.known, missing: missing, factsVersion: media.factsVersion, zone: builder.zone
    ) { [files] file in
      if files.source.isFar { remoteLeft -= 1 }
      return remoteLeft >= 0 && files.isThere(file)
    }
    return ScanComparison(seen, reconciler.reconcile(seen.scan.items) { reader.digest(of: $0, $1) })
  }
}
