import Broker
import Catalogue
import CLinux
import EventLoop

/// When a library's catalogue is written for the next start.
struct KeepingTimes {
  /// Smaller libraries are read from their rows within that time anyway.
  static let leastAssets = 20_000
  /// Without a change; forty megabytes for a million assets are not written while an import goes on.
  static let restSeconds = 20
  /// From one writing to the next: somebody may mark a photo every minute. The end of a run does not wait for it.
  static let pauseSeconds = 600

  fileprivate var changes = 0
  fileprivate var rested = 0
  fileprivate var sinceWriting = Self.pauseSeconds
  fileprivate var isWriting = false
}

extension LibraryRuntime {
  /// What has to be written for the next start; nil where the store has it, and while it is changing.
  func catalogueToKeep() -> (catalogue: Catalogue, at: Int)? {
    guard !library.isCatalogueKept, library.catalogue.count >= KeepingTimes.leastAssets else { return nil }
    return library.catalogueToKeep()
  }

  /// Loading a large library took memory that is of no use any more, once all that was read with it is let go.
  func returnMemory() {
    core.loop.schedule(after: .milliseconds(300)) { [weak self] in
      guard let self, !self.isStopped else { return }
      self.work(self.readers) {
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
    work(indexing) { () -> KeptCatalogue? in
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
