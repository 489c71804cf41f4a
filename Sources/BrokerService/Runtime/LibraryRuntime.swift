import Broker
import Catalogue
import Delivery
import EventLoop
import Glibc
import Indexer
import Monitor
import PhotoModel
import PluginHost

/// One library's storage process, media worker, copies and threads. Libraries share none of these,
/// so that no fault or load of one affects another (R128, R129).
final class LibraryRuntime {
  let library: LibraryState
  unowned let core: ServiceCore
  let workers: LibraryWorkers
  let status: LibraryStatus
  /// Queue for copies of large files and fetches of remote ones.
  private(set) var carrying = FairTurns(limit: LibraryWorkers.Kind.carry.threads)
  /// Queue for reads of descriptors.
  private(set) var takingOver = FairTurns(limit: LibraryWorkers.Kind.receive.threads)
  /// Queue for requests that write new assets into the storage.
  private(set) var storing = FairTurns(limit: storingRequests)
  private(set) var changing = FairTurns(limit: changeRequests)
  var incoming: [AppIdentifier: IncomingTurns] = [:]
  private(set) var files: LibraryFiles?
  /// Copies of remote files that apps read.
  let copies: DiskCopies
  private(set) var storage: (any LibraryStorage)?
  private(set) var media: any LibraryMedia
  /// Zone of dates without an offset.
  private(set) var zone: ZoneRules
  let mapping: any LibraryCloudMapping
  let policies: AlbumPolicyService
  let views: ViewRecorder
  let queries: QueryService
  let keeper: CatalogueKeeper
  /// Names of the storage's secret options that have a value.
  var credentials: [String] = []
  private(set) lazy var cloud = CloudNames(runtime: self)
  private(set) var changeDetection = "rescan"
  var leftOut: LeftOut
  /// Running transfers for owners.
  var arrivals: [AssetNumber: [Arrival]] = [:]
  /// Running copies, pieces and pictures.
  var making: [ObjectIdentifier: Making] = [:]
  /// Cancels the read of a large file during a scan.
  let looking = Transfer()
  var resourceCache: [AssetNumber: (version: UInt32, resources: [ResourceRecord])] = [:]
  var isMovingToTrash = false
  var isTrashRetrySet = false
  /// Number of storages that were closed. Late results of a closed one are ignored.
  private(set) var storageAge = 0
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
    copies = DiskCopies(folder: core.copiesFolder(of: library.record.name), digest: LibraryFiles.digest)
    media = core.factory.media(for: library.record)
    zone = .fixed(minutes: library.record.zoneOffsetMinutes)
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
    let record = library.record
    let factory = Box(core.factory)
    let (admission, closed) = (core.configuration.admission, core.configuration.ownFolders)
    if storage == nil { workers.returnMemory() }
    let running = storage
    let age = storageAge
    let copies = copies
    let wasSeen = !core.broker.volumes(of: record.name).isEmpty
    looks.starts += 1
    // Erases copies of grants that were revoked shortly before the broker stopped.
    let grants = core.broker.grants(in: record.name).filter { [.authorized, .limited].contains($0.record.status) }
    let keepers = Set(grants.map { $0.record.key.app.description } + [AppIdentifier(high: 0, low: 0).description])
    let shares = core.shares
    workers.run(.index) { () -> Result<Opened, StorageFailure> in
      Result { () throws(StorageFailure) in
        try admission.checkPaths([record.options], of: record, wasSeen: wasSeen)
        let secrets = try factory.value.credentials.read(record.name)
        // The running storage's pinned folder may be gone for good, for instance after its disk got
        // another number. It touches nothing until then.
        let storage =
          if let running, running.pins.areInPlace { running } else {
            try factory.value.storage(for: record, secrets: secrets)
          }
        // Watching begins before the first scan, which covers all earlier changes. The second call
        // is for a storage that first finds its old watch invalid. After a timeout it is left out,
        // because another would tell nothing more.
        let began = MonotonicTime.now
        if (try? storage.waitForChanges(.zero)) != .nothing, !began.advanced(by: .seconds(5)).hasPassed {
          _ = try? storage.waitForChanges(.zero)
        }
        let facts = try storage.facts()
        let credentials = secrets.keys.sorted()
        let places = factory.value.places(of: record)
        let source = try admission.files(of: record, facts, storage, closed: closed, places: places, wasSeen: wasSeen)
        let isFar = facts.root == nil && facts.cacheBytes > 0
        copies.open(limitBytes: isFar ? facts.cacheBytes : 0, keeping: keepers)
        let files = LibraryFiles(source: source, disk: isFar ? copies : nil, of: record.owner, shares)
        return Opened(
          storage: storage, facts: facts, files: files, credentials: credentials, zone: ZoneFile.rules(of: record))
      }
    } then: { [self] result in
      looks.starts -= 1
      switch result {
      case .failure(let failure): if age == storageAge { goOffline(failure.reason) }
      case .success(let opened):
        guard !workers.isStopped, age == storageAge else { return opened.storage.stop() }
        if let former = storage, former !== opened.storage {
          storageAge += 1
          former.retire()
        }
        storage = opened.storage
        files = opened.files
        credentials = opened.credentials
        zone = opened.zone
        notice(opened.facts)
        status.storageOpened()
        index()
      }
    }
  }

  /// Starts the media worker if it has been installed meanwhile.
  func takeUpMediaWorker() {
    if media.factsVersion == 0 { media = core.factory.media(for: library.record) }
  }

  /// Changes the zone of dates without an offset, and dates those assets again.
  func useZone(_ rules: ZoneRules) {
    zone = rules
    rescan()
  }

  /// Adopts the storage's change detection and its notice, which may change while it runs.
  func notice(_ facts: StorageDescription) {
    changeDetection = facts.changeDetection
    status.storage = facts.notice.map { Reason(.storageSays, $0) }
  }

  private struct Opened: Sendable {
    var storage: any LibraryStorage
    var facts: StorageDescription
    var files: LibraryFiles
    var credentials: [String]
    var zone: ZoneRules
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
    let storage = storage
    let media = media
    let mapping = mapping
    // Ending a process can take a moment, and nobody waits for it.
    _ = DetachedThread.start {
      storage?.stop()
      media.stop()
      mapping.stop()
    }
    giveUp()
    // Queued jobs have ended with the threads.
    making = [:]
    looking.cancel()
    files?.forget { _ in true }
    copies.close()
    status.tellWatchers()
  }

  /// Closes the storage and opens it again, because its plugin was replaced, installed or removed.
  /// Running reads from the old one are completed.
  func reopenStorage() {
    guard !workers.isStopped else { return }
    storageAge += 1
    storage?.retire()
    storage = nil
    start()
  }

  /// Closes the storage, because its plugin may not be used any more. Running reads end.
  func closeStorage(_ reason: Reason) {
    guard !workers.isStopped else { return }
    storageAge += 1
    let former = storage
    storage = nil
    _ = DetachedThread.start { former?.stop() }
    goOffline(reason)
  }

  func goOffline(_ reason: Reason) {
    guard !workers.isStopped else { return }
    // A full scan follows when it is back.
    (looks.rescanAsked, looks.isRescanning) = (false, false)
    status.goOffline(reason)
    // An open folder would keep a disk from being unmounted, and would still mean the old disk
    // after another was mounted.
    files?.forget { _ in true }
    files = nil
    let age = storageAge
    // Spread out, because other libraries may go offline at the same moment, and each may start
    // processes.
    workers.loop.schedule(after: .seconds(5) + .milliseconds(.random(in: 0..<1_000))) { [weak self] in
      guard let self, self.storageAge == age else { return }
      self.startAgain()
    }
  }
}

/// Carries values of the loop's thread through closures that run on that thread again.
final class Box<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
