import Broker
import Catalogue
import PhotoModel

/// The running libraries, from their start to their end.
final class LibraryRuntimes {
  private unowned let core: ServiceCore
  private let shares = LibraryShares()
  private var running: [LibraryName: LibraryRuntime] = [:]

  init(core: ServiceCore) { self.core = core }

  /// A call can arrive after its library's runtime was removed. Its new runtime refuses everything.
  subscript(library: LibraryState) -> LibraryRuntime {
    running[library.record.name] ?? LibraryRuntime(library: library, core: core, shares: shares)
  }

  subscript(name: LibraryName) -> LibraryRuntime? { running[name] }

  @discardableResult
  func start(_ library: LibraryState) -> LibraryRuntime {
    let runtime = LibraryRuntime(library: library, core: core, shares: shares)
    running[library.record.name] = runtime
    runtime.policies.compileAlbums()
    runtime.scanner.start()
    runtime.views.noteSoon()
    verifyLedger(of: library) { _ in }
    return runtime
  }

  /// Checks a library's ledger and shows damage in its status.
  func verifyLedger(
    of library: LibraryState, completion: @escaping (Result<LedgerVerdict, StoreFailure>) -> Void
  ) {
    core.store.verifyLedger(of: library.record.name) { [weak self] result in
      switch result {
      case .success(let verdict): self?.running[library.record.name]?.status.take(verdict)
      case .failure(let failure):
        self?.core.log.warning(
          "a ledger could not be checked", ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion(result)
    }
  }

  func stop(_ name: LibraryName) { running.removeValue(forKey: name)?.stop() }

  func stopAll() { for name in Array(running.keys) { stop(name) } }

  /// Stops a removed library and forgets its secrets.
  func forget(_ name: LibraryName) {
    stop(name)
    core.secrets.forget(name)
  }

  /// Opens a library's storage anew and starts its plugins with their present options. Its assets
  /// stay known.
  /// - Parameter credentials: Names of the secrets that it has now; nil: as before.
  func restart(_ library: LibraryState, credentials: [String]? = nil, _ completion: @escaping () -> Void) {
    let known = credentials ?? running[library.record.name]?.opened.credentials ?? []
    stop(library.record.name)
    let runtime = start(library)
    runtime.opened.credentials = known
    runtime.policies.compileAlbums(for: core.broker.grants(in: library.record.name), completion)
  }

  /// Asks every grant's policy about new or changed albums, then runs `completion`. Changes of
  /// members alone need no call.
  func albumsChanged(in library: LibraryState, _ albums: Set<AlbumIdentifier>, _ completion: @escaping () -> Void) {
    guard let runtime = running[library.record.name], !albums.isEmpty else { return completion() }
    runtime.policies.compileAlbums(for: core.broker.grants(in: library.record.name), about: .albums(albums), completion)
  }

  /// Asks every grant's policy about an app's change. Its own policy is asked first, and
  /// `completion` runs as soon as that one answered.
  func albumsChanged(
    in library: LibraryState, _ albums: Set<AlbumIdentifier>, by grant: GrantState, _ completion: @escaping () -> Void
  ) {
    guard let runtime = running[library.record.name], !albums.isEmpty else { return completion() }
    runtime.policies.compileAlbums(
      .albums(albums), first: grant, others: { [broker = core.broker] in broker.others(than: grant) }, completion)
  }

  /// Drops the policies of these names, because their plugin was replaced, installed or removed.
  /// The next question starts the present one.
  func renewPolicies(_ names: Set<String>) { for runtime in running.values { runtime.policies.plugins.renew(names) } }

  /// Writes catalogues that no longer change, for the next start. Called once a second.
  func keepCatalogues() { for runtime in running.values { runtime.keeper.keepAtRest() } }

  func cataloguesToKeep() -> [(library: LibraryState, catalogue: Catalogue, at: Int)] {
    running.values.compactMap { runtime in
      runtime.keeper.catalogueToKeep().map { (runtime.library, $0.catalogue, $0.at) }
    }
  }
}
