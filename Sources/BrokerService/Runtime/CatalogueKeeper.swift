import Broker
import Catalogue
import CLinux
import EventLoop

/// Writes one library's catalogue for the next start.
final class CatalogueKeeper: LibraryService {
  /// Smaller libraries load from their rows as quickly.
  private static let leastAssets = 20_000
  /// Seconds without a change, because a million assets are forty megabytes and must not be written
  /// again and again during an import.
  private static let restSeconds = 20
  /// Seconds between two writes, for libraries with steady changes. A shutdown does not wait for
  /// it.
  private static let pauseSeconds = 600

  let context: LibraryContext
  private var changes = 0
  private var rested = 0
  private var sinceWriting = CatalogueKeeper.pauseSeconds
  private var isWriting = false

  init(_ context: LibraryContext) { self.context = context }

  /// The catalogue to write; nil if it is stored already, or is changing.
  func catalogueToKeep() -> (catalogue: Catalogue, at: Int)? {
    guard !library.catalogueCopy.isCurrent, library.catalogue.count >= Self.leastAssets else { return nil }
    return library.catalogueToCopy()
  }

  /// Called once a second.
  func keepAtRest() {
    rested = changes == library.catalogueCopy.commits ? rested + 1 : 0
    changes = library.catalogueCopy.commits
    sinceWriting += 1
    guard rested >= Self.restSeconds, sinceWriting >= Self.pauseSeconds,
      !isWriting,
      let (catalogue, count) = catalogueToKeep()
    else { return }
    isWriting = true
    let store = LoopConfined(store)
    workers.run(.index) { () -> KeptCatalogue? in
      defer { clinux_return_memory() }
      return store.value.write(catalogue.compacted())
    } then: { [self] written in
      isWriting = false
      sinceWriting = 0
      guard let written else { return }
      library.catalogueCopy.keep(written, at: count)
    }
  }
}
