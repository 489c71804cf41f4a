import Broker
import Catalogue
import Delivery
import EventLoop
import Glibc
import Indexer
import Monitor
import PhotoModel
import PluginHost

/// What one library needs around the heart: its storage process, its media worker, its copies, and threads of its own, so
/// that no fault or load in one library is felt in another (R128, R129).
final class LibraryRuntime {
  enum State: String { case indexing, online, offline }

  let library: LibraryState
  unowned let core: ServiceCore
  /// Opens, copies and decodes for apps.
  let readers: Worker?
  /// Answers queries that look at much of the library.
  private let queries: Worker?
  /// Makes previews of videos; nil before the first.
  var previews: Worker?
  /// Scans and looks into new files.
  let indexing: Worker?
  private(set) var files: LibraryFiles?
  /// What apps read from afar.
  let copies: DiskCopies
  private(set) var storage: (any LibraryStorage)?
  let media: any LibraryMedia
  let mapping: any LibraryCloudMapping
  var policies: any LibraryAlbumPolicies
  /// Names of the storage's secret options that are kept for it.
  private(set) var credentials: [String] = []
  /// What the library's photos are called elsewhere.
  private(set) lazy var cloud = CloudNames(runtime: self)
  private(set) var state = State.indexing { didSet { tellWatchers() } }
  private(set) var problem: String?
  private(set) var changeDetection = "rescan"
  private(set) var progress: (done: Int, total: Int) = (0, 0)
  private(set) var leftOut = LeftOut()
  private var storageNotice: String?
  private var watchers: [ObjectIdentifier: () -> Void] = [:]
  /// What is fetched for owners at the moment.
  var arrivals: [AssetNumber: [Arrival]] = [:]
  var resourceCache: [AssetNumber: (version: UInt32, resources: [ResourceRecord])] = [:]
  private(set) var isStopped = false
  private var rescanAsked = false
  /// Why deleted assets' files could not be moved to the trash.
  var trashProblem: String?
  var isMovingToTrash = false
  var isTrashRetrySet = false
  private var isIndexing = false
  /// Counts the storages that were given up for another one: what still comes of them is not taken.
  private var storageAge = 0
  private var pace = LookPace()
  /// Whether a look waits for its time.
  private var isLookDue = false

  /// Grants whose album policy is being asked.
  var asking: [ObjectIdentifier: Asking] = [:]

  var keeping = KeepingTimes()

  /// Orders that are being sorted.
  private var sorting: Set<SortKey> = []

  /// Files that are copied and pictures that are made at a time.
  static let readerThreads = 4
  /// Assets that a query may look at one by one on the loop: half a millisecond.
  static let unsortedLimit = 10_000
  /// From how many bytes on a kept copy is worth being moved into large pages.
  static let largeCopyBytes = 1 << 20
  /// Assets whose resources are kept at hand.
  static let resourceCacheLimit = 4_096

  init(library: LibraryState, core: ServiceCore) {
    self.library = library
    self.core = core
    readers = try? Worker(name: "read \(library.record.name)", threads: Self.readerThreads)
    queries = try? Worker(name: "query \(library.record.name)")
    indexing = try? Worker(name: "index \(library.record.name)")
    copies = DiskCopies(folder: core.copiesFolder(of: library.record.name), digest: LibraryFiles.digest)
    media = core.factory.media(for: library.record)
    mapping = core.factory.cloudMapping(for: library.record)
    policies = core.factory.albumPolicies(for: library.record)
  }

  // MARK: Life

  /// Opens the storage and looks at what is there; what is in the library already can be fetched meanwhile.
  func start() {
    let record = library.record
    let factory = Box(core.factory)
    let admission = core.configuration.admission
    if storage == nil { returnMemory() }
    let running = storage
    let age = storageAge
    let copies = copies
    // What was revoked when the broker could not erase it any more goes now.
    let grants = core.broker.grants(in: record.name).filter { [.authorized, .limited].contains($0.record.status) }
    let keepers = Set(grants.map { $0.record.key.app.description } + [AppIdentifier(high: 0, low: 0).description])
    work(indexing) { () -> Result<Opened, StorageFailure> in
      Result { () throws(StorageFailure) in
        let secrets = try factory.value.credentials.read(record.name)
        let storage = if let running { running } else { try factory.value.storage(for: record, secrets: secrets) }
        // Watching begins before the first look, which covers all that it tells of until then. Twice, where it has to find
        // out first that what it watched is gone; not where it took until the deadline, which tells nothing but that.
        let began = MonotonicTime.now
        if (try? storage.waitForChanges(.zero)) != .nothing, !began.advanced(by: .seconds(5)).hasPassed {
          _ = try? storage.waitForChanges(.zero)
        }
        let facts = try storage.facts()
        let credentials = secrets.keys.sorted()
        let source = try admission.files(of: record, facts, storage)
        let isFar = facts.root == nil && facts.cacheBytes > 0
        copies.open(limitBytes: isFar ? facts.cacheBytes : 0, keeping: keepers)
        let files = LibraryFiles(source: source, disk: isFar ? copies : nil)
        return Opened(storage: storage, facts: facts, files: files, credentials: credentials)
      }
    } then: { [self] result in
      switch result {
      case .failure(let failure): if age == storageAge { goOffline(failure.message) }
      case .success(let opened):
        guard !isStopped, age == storageAge else { return opened.storage.stop() }
        storage = opened.storage
        files = opened.files
        credentials = opened.credentials
        notice(opened.facts)
        problem = storageNotice
        index()
      }
    }
  }

  /// How the storage finds changes, and what its owner should know of it; both may change while it runs.
  private func notice(_ facts: StorageDescription) {
    changeDetection = facts.changeDetection
    storageNotice = facts.notice
  }

  private struct Opened: Sendable {
    var storage: any LibraryStorage
    var facts: StorageDescription
    var files: LibraryFiles
    var credentials: [String]
  }

  func stop() {
    isStopped = true
    // Who waits for an answer is refused instead: the library is gone.
    let waiting = asking.values.flatMap(\.waiting)
    asking = [:]
    for body in waiting { body() }
    readers?.stop()
    indexing?.stop()
    queries?.stop()
    previews?.stop()
    let storage = storage
    let media = media
    let mapping = mapping
    let policies = policies
    // Ending a process can take a moment, and nobody waits for this one.
    _ = DetachedThread.start {
      storage?.stop()
      media.stop()
      mapping.stop()
      policies.stop()
    }
    files?.cache.remove { _ in true }
    copies.close()
    tellWatchers()
  }

  /// Gives the storage up for another one, where its plugin is another one now or has come or gone. What is being read from
  /// the old one is read to its end.
  func reopenStorage() {
    guard !isStopped else { return }
    storageAge += 1
    storage?.retire()
    storage = nil
    start()
  }

  /// Gives the storage up: its plugin may not be used any more. Ends what is being read.
  func closeStorage(_ message: String) {
    guard !isStopped else { return }
    storageAge += 1
    let former = storage
    storage = nil
    _ = DetachedThread.start { former?.stop() }
    goOffline(message)
  }

  private func goOffline(_ message: String) {
    guard !isStopped else { return }
    if state != .offline || problem != message {
      core.log.warning("a library is offline", ["library": "\(library.record.name)", "reason": message])
    }
    problem = message
    state = .offline
    // Held open it would keep a disk from being taken out, and lead to the old one after another was put in.
    files?.cache.remove { _ in true }
    files = nil
    let age = storageAge
    core.loop.schedule(after: .seconds(5)) { [weak self] in
      guard let self, !self.isStopped, self.state == .offline, self.storageAge == age else { return }
      self.start()
    }
  }

  // MARK: Indexing

  func rescan() {
    rescanAsked = true
    if !isIndexing { index() }
  }

  /// - Parameter folders: Where something changed; nil: look at everything.
  private func index(_ folders: [StorageFolder]? = nil) {
    guard let storage, let files, !isStopped, !isIndexing else { return }
    isIndexing = true
    isLookDue = false
    let folders = rescanAsked ? nil : folders
    rescanAsked = false
    if state == .offline || library.catalogue.count == 0 { state = .indexing }
    let job = IndexJob(
      storage: storage, files: files, media: media, folders: folders, volumes: core.broker.volumes(of: library.record.name),
      unusable: leftOut.unusable,
      builder: AssetBuilder(zoneOffsetMinutes: library.record.zoneOffsetMinutes, now: core.environment.now))
    let box = Box(self)
    let loop = core.loop
    job.onProgress = { done, total in
      loop.perform {
        box.value.progress = (done, total)
        box.value.tellWatchers()
      }
    }
    job.onBatch = { batch, reply in
      loop.perform {
        guard !box.value.isStopped else { return reply(false) }
        box.value.library.apply(batch) { result in
          if case .failure(let error) = result { box.value.core.log.error("an index batch was not kept", ["reason": "\(error)"]) }
          reply((try? result.get()) != nil)
        }
      }
    }
    job.onKnown = { scope, reply in
      loop.perform {
        let runtime = box.value
        let carried: @Sendable (Result<[AssetRecord], StoreFailure>) -> Void = { reply(try? $0.get()) }
        guard !runtime.isStopped else { return reply(nil) }
        guard let scope else { return runtime.core.store.assets(of: runtime.library.record.name, completion: carried) }
        runtime.core.store.assets(of: runtime.library.record.name, in: scope, completion: carried)
      }
    }
    // What it is and how it watches changes with a look at everything only.
    work(indexing) {
      (job.run(), folders == nil ? try? storage.facts() : nil)
    } then: { [self] outcome, facts in
      if outcome.failure == nil { take(outcome) }
      if outcome.isIncomplete { lookAgain() }
      if let facts { notice(facts) }
      if !outcome.removed.isEmpty { core.broker.contentNarrowed(in: library.record.name) }
      finishIndexing(outcome.failure)
    }
  }

  /// What could not be used, and where nothing could be seen. The log gets the reasons and never a name.
  private func take(_ outcome: IndexJob.Outcome) {
    core.broker.keepVolumes(outcome.volumes, of: library.record.name)
    guard leftOut.take(outcome) else { return }
    for (reason, count) in outcome.skippedReasons.sorted(by: { $0.key < $1.key }) {
      core.notices.note("a file was skipped", of: .library("\(library.record.name)"), ["reason": reason], count: count)
    }
  }

  /// What the owner is told while the library is online.
  private var remark: String? {
    guard let first = leftOut.offline.first else {
      return trashProblem.map { problem in
        let count = library.awaitingTrash.count
        return "\(count) deleted photo\(count == 1 ? " is" : "s are") out of every app's sight, but not in the trash yet: \(problem)"
      } ?? storageNotice
    }
    let more = leftOut.offline.count > 1 ? " and \(leftOut.offline.count - 1) more" : ""
    return "Folder \"\(first.path)\"\(more) is away or cannot be read; the photos known in it are kept, and offline"
  }

  func showProblem() {
    guard state != .offline else { return }
    problem = remark
    tellWatchers()
  }

  /// Something was busy: what was left out for that is looked at again.
  private func lookAgain() {
    core.loop.schedule(after: .seconds(2)) { [weak self] in
      guard let self, !self.isStopped else { return }
      self.rescan()
    }
  }

  private func finishIndexing(_ failure: String?) {
    isIndexing = false
    progress = (0, 0)
    guard !isStopped else { return }
    if let failure { return goOffline(failure) }
    problem = remark
    state = .online
    compactIfNeeded()
    moveToTrash()
    if rescanAsked { return index() }
    waitForChanges()
  }

  /// Waits for the backend to notice something, away from the loop, and looks again.
  private func waitForChanges() {
    guard let storage else { return }
    let age = storageAge
    work(indexing) { () -> Result<StorageNews, StorageFailure> in
      Result { () throws(StorageFailure) in try storage.waitForChanges(.seconds(2)) }
    } then: { [self] result in
      guard !isStopped, !isIndexing, age == storageAge else { return }
      switch result {
      case .success(.nothing): rescanAsked ? index() : waitForChanges()
      case .success(.anywhere): look(nil)
      case .success(.folders(let folders)): look(folders)
      case .failure(let failure): goOffline(failure.message)
      }
    }
  }

  /// Looks where something may have changed, at once or a moment later.
  private func look(_ folders: [StorageFolder]?) {
    let pause = pace.take(now: .now)
    guard pause > .zero else { return index(folders) }
    isLookDue = true
    core.loop.schedule(after: pause) { [weak self] in
      // Somebody may have asked for a look at everything meanwhile.
      guard let self, self.isLookDue else { return }
      self.index(folders)
    }
  }

  /// Lays the columns out anew once enough has changed; on a worker, while the library is served from the old ones.
  private func compactIfNeeded() {
    guard library.catalogue.isWorthCompacting else { return }
    let snapshot = Box(library.takeSnapshot())
    work(indexing) {
      Box(snapshot.value.compacted())
    } then: { [self] compacted in
      library.adopt(compacted.value)
    }
  }

  /// Has an order sorted that queries ask for, on a worker; until it is there they look at everything that matches.
  func prepareOrder(by key: SortKey) {
    guard key != .creationDate, library.catalogue.count > Self.unsortedLimit, !library.catalogue.isPrepared(key),
      sorting.insert(key).inserted
    else { return }
    let snapshot = Box(library.takeSnapshot())
    work(readers) {
      Box(snapshot.value.order(by: key))
    } then: { [self] order in
      sorting.remove(key)
      library.adopt(order.value)
    }
  }

  /// Works something out of the catalogue: here where that looks at few assets, else on a worker from a copy, so that no
  /// query holds up the loop. What comes of it is as old as the call: ask again whether it may still be told.
  /// - Parameter effort: How many assets it may look at one by one.
  func lookUp<R: Sendable>(
    effort: Int, _ body: @escaping @Sendable (Catalogue) -> R, then: @escaping (Result<R, BrokerError>) -> Void
  ) {
    let catalogue = library.catalogue
    if effort <= Self.unsortedLimit { return then(.success(body(catalogue))) }
    do {
      guard let queries else { throw EventLoopError.notRunning("The library's worker") }
      try queries.run({ body(catalogue) }, on: core.loop) { then(.success($0)) }
    } catch {
      then(.failure(.photos(.limitExceeded, "Too many questions about this library wait for their answers; ask again in a moment.")))
    }
  }

  // MARK: Watching

  func watch(_ connection: Connection, _ tell: @escaping () -> Void) { watchers[ObjectIdentifier(connection)] = tell }
  func unwatch(_ connection: Connection) { watchers[ObjectIdentifier(connection)] = nil }
  private func tellWatchers() { for tell in watchers.values { tell() } }

  // MARK: Threads

  /// Runs something that may block on a worker, and what follows on the loop.
  func work<R: Sendable>(_ worker: Worker?, _ body: @escaping @Sendable () -> R, then: @escaping (R) -> Void) {
    do throws(EventLoopError) {
      guard let worker else { throw .notRunning("The library's worker") }
      try worker.run(body, on: core.loop, completion: then)
    } catch {
      guard !isStopped else { return }
      // A call that waits for this must be answered, though later: how many can wait is bounded by the calls of a connection.
      if error.code == .queueFull {
        core.loop.schedule(after: .milliseconds(50)) { [weak self] in self?.work(worker, body, then: then) }
        return
      }
      core.log.error("a library's worker takes no more work", ["library": "\(library.record.name)", "reason": "\(error)"])
    }
  }
}

/// Carries values of the loop's thread through closures that run on that same thread again.
final class Box<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
