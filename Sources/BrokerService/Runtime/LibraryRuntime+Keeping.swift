import Broker
import Catalogue
import CLinux
import EventLoop

/// Decides when a library's catalogue is written for the next start.
struct KeepingTimes {
  /// Smaller libraries load from their rows as quickly.
  static let leastAssets = 20_000
  /// Seconds without a change, because a million assets are forty megabytes and must not be written
  /// again and again during an import.
  static let restSeconds = 20
  /// Seconds between two writes, for libraries with steady changes. A shutdown does not wait for
  /// it.
  static let pauseSeconds = 600

  fileprivate var changes = 0
  fileprivate var rested = 0
  fileprivate var sinceWriting = Self.pauseSeconds
  fileprivate var isWriting = false
}

extension LibraryRuntime {
  /// The catalogue to write; nil if it is stored already, or is changing.
  func catalogueToKeep() -> (catalogue: Catalogue, at: Int)? {
    guard !library.isCatalogueKept, library.catalogue.count >= KeepingTimes.leastAssets else { return nil }
    return library.catalogueToKeep()
  }

  /// Returns memory that the load of a large library needed, after its data was freed.
  func returnMemory() {
    workers.loop.schedule(after: .milliseconds(300)) { [weak self] in
      guard let self, !self.workers.isStopped else { return }
      self.workers.run(.read) {
        clinux_return_memory()
      } then: { _ in
      }
    }
  }

  /// Called once a second.
  func keepCatalogueAtRest() {
    let hasRested = keeping.changes == library.contentChanges
    keeping.changes = library.contentChanges
    keeping.rested = hasRested ? keeping.rested + 1 : 0
    keeping.sinceWriting += 1
    guard keeping.rested >= KeepingTimes.restSeconds, keeping.sinceWriting >= KeepingTimes.pauseSeconds,
      !keeping.isWriting,
      let (catalogue, count) = catalogueToKeep()
    else { return }
    keeping.isWriting = true
    let store = Box(core.store)
    workers.run(.index) { () -> KeptCatalogue? in
      defer { clinux_return_memory() }
      return store.value.write(catalogue.compacted())
    } then: { [self] written in
      keeping.isWriting = false
      keeping.sinceWriting = 0
      guard let written else { return }
      library.keep(written, at: count)
    }
  }
}
