import Broker
import Catalogue
import Delivery
import EventLoop
import Glibc
import Indexer
import Monitor
import PhotoModel

/// One library's storage process, media worker, copies and threads. Libraries share none of these,
/// so that no fault or load of one affects another (R128, R129).
final class LibraryRuntime {
  let library: LibraryState
  unowned let core: ServiceCore
  let workers: LibraryWorkers
  let status: LibraryStatus
  let opened: OpenedStorage
  let trash: TrashService
  /// Queue for copies of large files and fetches of remote ones.
  private(set) var carrying = FairTurns(limit: LibraryWorkers.Kind.carry.threads)
  /// Queue for reads of descriptors.
  private(set) var takingOver = FairTurns(limit: LibraryWorkers.Kind.receive.threads)
  /// Queue for requests that write new assets into the storage.
  private(set) var storing = FairTurns(limit: storingRequests)
  private(set) var changing = FairTurns(limit: changeRequests)
  var incoming: [AppIdentifier: IncomingTurns] = [:]
  let mapping: any LibraryCloudMapping
  let policies: AlbumPolicyService
  let views: ViewRecorder
  let queries: QueryService
  let keeper: CatalogueKeeper
  private(set) lazy var cloud = CloudNames(runtime: self)
  var leftOut: LeftOut
  /// Running transfers for owners.
  var arrivals: [AssetNumber: [Arrival]] = [:]
  /// Running copies, pieces and pictures.
  var making: [ObjectIdentifier: Making] = [:]
  /// Cancels the read of a large file during a scan.
  let looking = Transfer()
  var resourceCache: [AssetNumber: (version: UInt32, resources: [ResourceRecord])] = [:]
  var looks = Looks()
  /// Files that apps add while a scan may find them.
  let newcomers = Newcomers()

  /// Trashed leftovers of failed requests.
  var cleared: [Addition.Number] = []
  var clearingTries: [Addition.Number: Int] = [:]
  var isClearingSet = false

  /// Most requests that write into the storage at a time.
  static let storingRequests = 8
  /// Most change requests that wait for a commit.
  static let changeRequests = 4
  /// Size in bytes from which a cached copy is moved into large pages.
  static let largeCopyBytes = 1 << 20
  static let resourceCacheLimit = 4_096

  init(library: LibraryState, core: ServiceCore) {
    self.library = library
    self.core = core
    workers = LibraryWorkers(of: library.record.name, on: core.loop, log: core.log)
    status = LibraryStatus(of: library, broker: core.broker, log: core.log)
    opened = OpenedStorage(
      of: library, broker: core.broker, factory: core.factory, configuration: core.configuration,
      copies: DiskCopies(folder: core.copiesFolder(of: library.record.name), digest: LibraryFiles.digest),
      shares: core.shares, workers: workers, status: status)
    trash = TrashService(of: library, store: core.store, opened: opened, workers: workers, status: status)
    mapping = core.factory.cloudMapping(for: library.record)
    views = ViewRecorder(of: library, broker: core.broker, workers: workers)
    queries = QueryService(of: library, workers: workers)
    keeper = CatalogueKeeper(of: library, store: core.store, workers: workers)
    policies = AlbumPolicyService(
      of: library, broker: core.broker, factory: core.factory, workers: workers, status: status)
    leftOut = LeftOut(kept: core.broker.unusableFiles(of: library.record.name))
  }

  // MARK: Life

  /// Opens the storage and scans it. Known assets can be fetched meanwhile.
  func start() {
    looks.starts += 1
    opened.open { [self] result in
      looks.starts -= 1
      switch result {
      case nil: break
      case .failure(let failure): goOffline(failure.reason)
      case .success:
        status.storageOpened()
        index()
      }
    }
  }

  /// Changes the zone of dates without an offset, and dates those assets again.
  func useZone(_ rules: ZoneRules) {
    opened.zone = rules
    rescan()
  }

  func stop() {
    workers.stop()
    library.abandonAdditions()
    policies.stop()
    carrying = FairTurns(limit: LibraryWorkers.Kind.carry.threads)
    takingOver = FairTurns(limit: LibraryWorkers.Kind.receive.threads)
    storing = FairTurns(limit: Self.storingRequests)
    changing = FairTurns(limit: Self.changeRequests)
    incoming = [:]
    let mapping = mapping
    _ = DetachedThread.start { mapping.stop() }
    giveUp()
    // Queued jobs have ended with the threads.
    making = [:]
    looking.cancel()
    opened.stop()
    status.tellWatchers()
  }

  /// Closes the storage and opens it again, because its plugin was replaced, installed or removed.
  /// Running reads from the old one are completed.
  func reopenStorage() {
    guard !workers.isStopped else { return }
    opened.retire()
    start()
  }

  /// Closes the storage, because its plugin may not be used any more. Running reads end.
  func closeStorage(_ reason: Reason) {
    guard !workers.isStopped else { return }
    opened.close()
    goOffline(reason)
  }

  func goOffline(_ reason: Reason) {
    guard !workers.isStopped else { return }
    // A full scan follows when it is back.
    (looks.rescanAsked, looks.isRescanning) = (false, false)
    status.goOffline(reason)
    opened.dropFiles()
    let age = opened.age
    // Spread out, because other libraries may go offline at the same moment, and each may start
    // processes.
    workers.loop.schedule(after: .seconds(5) + .milliseconds(.random(in: 0..<1_000))) { [weak self] in
      guard let self, self.opened.age == age else { return }
      self.startAgain()
    }
  }
}

/// Carries values of the loop's thread through closures that run on that thread again.
final class Box<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
