import Broker
import Catalogue
import Delivery
import EventLoop
import Glibc
import Indexer
import Monitor
import PhotoModel
import PluginHost

/// What one library needs around the heart: its storage process, its media worker, its copies, and
/// threads of its own, so that no fault or load in one library is felt in another (R128, R129).
final class LibraryRuntime {
  enum State: String { case indexing, online, offline }

  let library: LibraryState
  unowned let core: ServiceCore
  /// Opens, copies and decodes for apps.
  let readers: Worker?
  /// Answers queries that look at much of the library.
  let queries: Worker?
  /// Asks album policies; nil before the first question.
  var deciding: Worker?
  /// Makes previews of videos; nil before the first.
  var previews: Worker?
  /// Reads far files for their digests; nil before the first.
  var digesting: Worker?
  /// Reads what apps hand over as descriptors; nil before the first.
  var receiving: Worker?
  /// Copies large files and fetches far ones; nil before the first.
  var carriers: Worker?
  /// Whose large files are copied, and whose far ones fetched.
  private(set) var carrying = LibraryRuntime.turns(carrierThreads)
  /// Whose descriptors are read.
  private(set) var takingOver = LibraryRuntime.turns(receiverThreads)
  /// Whose requests that create assets write into the storage.
  private(set) var storing = LibraryRuntime.turns(storingRequests)
  private(set) var changing = LibraryRuntime.turns(changeRequests)
  /// What each app hands over to be added.
  var incoming: [AppIdentifier: IncomingTurns] = [:]
  /// Scans and looks into new files.
  let indexing: Worker?
  private(set) var files: LibraryFiles?
  /// What apps read from afar.
  let copies: DiskCopies
  private(set) var storage: (any LibraryStorage)?
  private(set) var media: any LibraryMedia
  /// Of dates without an offset.
  private(set) var zone: ZoneRules
  let mapping: any LibraryCloudMapping
  var policies: any LibraryAlbumPolicies
  /// Names of the storage's secret options that are kept for it.
  var credentials: [String] = []
  /// What the library's photos are called elsewhere.
  private(set) lazy var cloud = CloudNames(runtime: self)
  var state = State.indexing { didSet { tellWatchers() } }
  var problem: Reason?
  private(set) var changeDetection = "rescan"
  var progress: (done: Int, total: Int) = (0, 0)
  var leftOut: LeftOut
  private(set) var storageNotice: Reason?
  private var watchers: [ObjectIdentifier: () -> Void] = [:]
  /// What is fetched for owners at the moment.
  var arrivals: [AssetNumber: [Arrival]] = [:]
  /// What calls wait for, by when they came.
  var unanswered: [UInt64: AwaitedAnswer] = [:]
  var unansweredCount: UInt64 = 0
  /// What is being made of assets' bytes, for whomever.
  var making: [ObjectIdentifier: Making] = [:]
  /// Ends the look at the storage that is under way, where it reads a large file.
  let looking = Transfer()
  var resourceCache: [AssetNumber: (version: UInt32, resources: [ResourceRecord])] = [:]
  private(set) var isStopped = false
  /// Why deleted assets' files could not be moved to the trash.
  var trashProblem: Reason?
  /// Why the cloud mapping names nothing.
  var mappingProblem: Reason?
  var isMovingToTrash = false
  var isTrashRetrySet = false
  /// Counts the storages that were given up for another one: what still comes of them is not taken.
  private(set) var storageAge = 0
  var looks = Looks()
  /// What apps add, and the storage is found to have meanwhile.
  let newcomers = Newcomers()

  /// Files of requests that were cut off which are in the storage no longer.
  var cleared: [Addition.Number] = []
  /// How often it was tried in vain to take one away.
  var clearingTries: [Addition.Number: Int] = [:]
  /// Whether what is left of such requests is looked for in a while.
  var isClearingSet = false

  /// Grants whose album policy is being asked.
  var asking: [ObjectIdentifier: Asking] = [:]
  /// Grants whose albums are hidden since their policies do not answer.
  var silent: [ObjectIdentifier: SilentPolicy] = [:]
  /// Grants whose policies are asked one after the other when nobody waits for them; each counts as asked already.
  var unasked: [GrantState] = []
  /// Whether they are being asked, or wait for a quiet moment.
  var isAskingInTurn = false
  /// Questions so far that somebody waited for.
  var ownQuestions = 0

  /// Whether what happened is being looked at for every grant, or about to be; and whether more came since that began.
  var isNotingViews = false
  var hasMoreForViews = false

  var keeping = KeepingTimes()

  /// Orders that are being sorted.
  var sorting: Set<SortKey> = []

  /// Requests that write into the storage at a time.
  static let storingRequests = 8
  /// Change requests that wait in the library for the one before to be kept.
  static let changeRequests = 4
  /// Files that are copied and pictures that are made at a time.
  static let readerThreads = 4
  /// Grants whose album policies are asked at a time.
  static let decidingThreads = 4
  /// Large files that are copied, and far ones that are fetched, at a time.
  static let carrierThreads = IsolatedStorage.appTransfers
  /// Descriptors of apps that are read at a time.
  static let receiverThreads = 8
  /// Assets that a query may look at one by one on the loop: half a millisecond.
  static let unsortedLimit = 10_000
  /// From how many bytes on a kept copy is worth being moved into large pages.
  static let largeCopyBytes = 1 << 20
  /// Assets whose resources are kept at hand.
  static let resourceCacheLimit = 4_096

  /// Half of all threads are one user's at most, and a quarter one app's.
  private static func turns(_ threads: Int) -> FairTurns {
    FairTurns(limit: threads, limitPerUser: threads / 2, limitPerApp: threads / 4)
  }

  init(library: LibraryState, core: ServiceCore) {
    self.library = library
    self.core = core
    readers = try? Worker(name: "read", threads: Self.readerThreads)
    queries = try? Worker(name: "query")
    // New files are looked into for hours: whoever calls meanwhile goes first.
    indexing = try? Worker(name: "index", turns: .standingBack(5))
    copies = DiskCopies(folder: core.copiesFolder(of: library.record.name), digest: LibraryFiles.digest)
    media = core.factory.media(for: library.record)
    zone = .fixed(minutes: library.record.zoneOffsetMinutes)
    mapping = core.factory.cloudMapping(for: library.record)
    policies = core.factory.albumPolicies(for: library.record)
    leftOut = LeftOut(kept: core.broker.unusableFiles(of: library.record.name))
  }

  // MARK: Life

  /// Opens the storage and looks at what is there; what is in the library already can be fetched meanwhile.
  func start() {
    let record = library.record
    let factory = Box(core.factory)
    let (admission, closed) = (core.configuration.admission, core.configuration.ownFolders)
    if storage == nil { returnMemory() }
    let running = storage
    let age = storageAge
    let copies = copies
    let wasSeen = !core.broker.volumes(of: record.name).isEmpty
    looks.starts += 1
    // What was revoked when the broker could not erase it any more goes now.
    let grants = core.broker.grants(in: record.name).filter { [.authorized, .limited].contains($0.record.status) }
    let keepers = Set(grants.map { $0.record.key.app.description } + [AppIdentifier(high: 0, low: 0).description])
    let shares = core.shares
    work(indexing) { () -> Result<Opened, StorageFailure> in
      Result { () throws(StorageFailure) in
        try admission.checkPaths([record.options], of: record, wasSeen: wasSeen)
        let secrets = try factory.value.credentials.read(record.name)
        // What the running one is held to may be away for good, as where a disk has another number
        // now: one that is opened anew is looked at anew, and the other one touches nothing else
        // until then.
        let storage =
          if let running, running.pins.areInPlace { running } else {
            try factory.value.storage(for: record, secrets: secrets)
          }
        // Watching begins before the first look, which covers all that it tells of until then.
        // Twice, where it has to find out first that what it watched is gone; not where it took
        // until the deadline, which tells nothing but that.
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
        guard !isStopped, age == storageAge else { return opened.storage.stop() }
        if let former = storage, former !== opened.storage {
          storageAge += 1
          former.retire()
        }
        storage = opened.storage
        files = opened.files
        credentials = opened.credentials
        zone = opened.zone
        notice(opened.facts)
        problem = storageNotice
        index()
      }
    }
  }

  /// Has files looked into by the media worker where it was missing and has been installed since.
  func takeUpMediaWorker() {
    if media.factsVersion == 0 { media = core.factory.media(for: library.record) }
  }

  /// Has dates without an offset be of another zone, and dates anew what is dated by the one before.
  func useZone(_ rules: ZoneRules) {
    zone = rules
    rescan()
  }

  /// How the storage finds changes, and what its owner should know of it; both may change while it runs.
  func notice(_ facts: StorageDescription) {
    changeDetection = facts.changeDetection
    storageNotice = facts.notice.map { Reason(.storageSays, $0) }
  }

  private struct Opened: Sendable {
    var storage: any LibraryStorage
    var facts: StorageDescription
    var files: LibraryFiles
    var credentials: [String]
    var zone: ZoneRules
  }

  func stop() {
    isStopped = true
    library.abandonAdditions()
    // Who waits for an answer is refused instead: the library is gone.
    let waiting = asking.values.flatMap(\.everyWaiting)
    asking = [:]
    silent = [:]
    for body in waiting { body() }
    answerAll()
    readers?.stop()
    indexing?.stop()
    queries?.stop()
    deciding?.stop()
    previews?.stop()
    digesting?.stop()
    receiving?.stop()
    carriers?.stop()
    carrying = Self.turns(Self.carrierThreads)
    takingOver = Self.turns(Self.receiverThreads)
    storing = Self.turns(Self.storingRequests)
    changing = Self.turns(Self.changeRequests)
    incoming = [:]
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
    giveUp()
    // What waited to be made has ended with the threads: nothing of it will be told.
    making = [:]
    looking.cancel()
    files?.forget { _ in true }
    copies.close()
    tellWatchers()
  }

  /// Gives the storage up for another one, where its plugin is another one now or has come or gone.
  /// What is being read from the old one is read to its end.
  func reopenStorage() {
    guard !isStopped else { return }
    storageAge += 1
    storage?.retire()
    storage = nil
    start()
  }

  /// Gives the storage up: its plugin may not be used any more. Ends what is being read.
  func closeStorage(_ reason: Reason) {
    guard !isStopped else { return }
    storageAge += 1
    let former = storage
    storage = nil
    _ = DetachedThread.start { former?.stop() }
    goOffline(reason)
  }

  func goOffline(_ reason: Reason) {
    guard !isStopped else { return }
    if state != .offline || problem != reason {
      core.log.warning("a library is offline", ["library": "\(library.record.name)", "reason": reason.text])
    }
    problem = reason
    // Once it is back everything is looked at anyway.
    (looks.rescanAsked, looks.isRescanning) = (false, false)
    state = .offline
    // Held open it would keep a disk from being taken out, and lead to the old one after another was put in.
    files?.forget { _ in true }
    files = nil
    let age = storageAge
    // Not at the same moment as others that went offline with it: each of them may start processes.
    core.loop.schedule(after: .seconds(5) + .milliseconds(.random(in: 0..<1_000))) { [weak self] in
      guard let self, self.storageAge == age else { return }
      self.startAgain()
    }
  }

  // MARK: Watching

  func watch(_ connection: Connection, _ tell: @escaping () -> Void) { watchers[ObjectIdentifier(connection)] = tell }
  func unwatch(_ connection: Connection) { watchers[ObjectIdentifier(connection)] = nil }
  func tellWatchers() { for tell in watchers.values { tell() } }

  // MARK: Threads

  /// Runs something that may block on a worker, and what follows on the loop.
  func work<R: Sendable>(_ worker: Worker?, _ body: @escaping @Sendable () -> R, then: @escaping (R) -> Void) {
    do throws(EventLoopError) {
      guard let worker else { throw .notRunning("The library's worker") }
      try worker.run(body, on: core.loop, completion: then)
    } catch {
      guard !isStopped else { return }
      // A call that waits for this must be answered, though later: how many can wait is bounded by
      // the calls of a connection.
      if error.code == .queueFull {
        core.loop.schedule(after: .milliseconds(50)) { [weak self] in self?.work(worker, body, then: then) }
        return
      }
      core.log.error(
        "a library's worker takes no more work", ["library": "\(library.record.name)", "reason": "\(error)"])
    }
  }
}

/// Carries values of the loop's thread through closures that run on that same thread again.
final class Box<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
