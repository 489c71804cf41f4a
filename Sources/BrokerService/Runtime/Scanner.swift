import Broker
import Catalogue
import Delivery
import EventLoop
import Indexer
import Monitor
import PhotoModel
import PluginHost

/// Scans one library's storage: full at first and on request, then where folders changed.
final class Scanner: LibraryService {
  let context: LibraryContext
  private(set) var leftOut: LeftOut
  /// Files that apps add while a scan may find them.
  let pendingImports = PendingImports()
  private var looks = Looks()
  /// Cancels the read of a large file during a scan.
  private let looking = Transfer()
  private let notices: RepeatedNotices
  private let opened: OpenedStorage
  private let trash: TrashService
  private let leftovers: Leftovers

  init(
    _ context: LibraryContext, notices: RepeatedNotices, opened: OpenedStorage, trash: TrashService,
    leftovers: Leftovers
  ) {
    self.context = context
    self.notices = notices
    self.opened = opened
    self.trash = trash
    self.leftovers = leftovers
    leftOut = LeftOut(kept: context.broker.libraryNotes.unusableFiles(of: context.library.record.name))
  }

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

  /// Cancels the running scan.
  func stop() { looking.cancel() }

  /// Changes the zone of dates without an offset, and dates those assets again.
  func useZone(_ rules: ZoneRules) {
    opened.zone = rules
    rescan()
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

  private func goOffline(_ reason: Reason) {
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

  /// Whether the first scan or a requested one is running or due.
  var isLooking: Bool { status.state == .indexing || looks.rescanAsked || looks.isRescanning }

  var isScanning: Bool { looks.isIndexing }

  /// Starts a full scan for the owner. It also reads unusable files again, and missing assets count
  /// as deleted at once.
  func rescanForOwner() {
    looks.missed.confirm()
    rescan(anew: true)
  }

  /// Starts a full scan, or reopens the storage if it is offline.
  /// - Parameter anew: Whether it also reads unusable files again.
  func rescan(anew: Bool = false) {
    looks.rescanAsked = true
    looks.looksAnew = looks.looksAnew || anew
    if status.state == .offline { return startAgain() }
    if !looks.isIndexing { index() }
  }

  private func startAgain() {
    if !workers.isStopped, status.state == .offline, looks.starts == 0 { start() }
  }

  /// - Parameter folders: Changed folders; nil: a full scan.
  private func index(_ folders: [StorageFolder]? = nil) {
    guard let storage = opened.storage, let files = opened.files, !workers.isStopped, !looks.isIndexing else { return }
    looks.isIndexing = true
    library.scan.begin()
    looks.isPaused = false
    looks.due = .nothing
    let folders = looks.rescanAsked ? nil : folders
    looks.isRescanning = looks.rescanAsked
    looks.rescanAsked = false
    if status.state == .offline || library.catalogue.count == 0 { status.beginIndexing() }
    if folders == nil { opened.takeUpMediaWorker() }
    let job = IndexJob(
      storage: storage, files: files, media: opened.media, folders: folders,
      volumes: broker.libraryNotes.volumes(of: library.record.name),
      unusable: looks.isRescanning && looks.looksAnew ? leftOut.unusableSidecars : leftOut.unusable,
      skipped: leftOut.files, believed: looks.missed.believed(), mayPostpone: looks.postponed < Looks.postponedLimit,
      builder: opened.assetBuilder(now: environment.now), looking: looking)
    let box = LoopConfined(self)
    let loop = workers.loop
    job.onProgress = { done, total in
      loop.perform {
        box.value.status.progress = (done, total)
        box.value.status.tellWatchers()
      }
    }
    job.onBatch = { batch, prior, reply in
      loop.perform {
        guard !box.value.workers.isStopped else { return reply(false) }
        box.value.library.scan.apply(batch, prior: prior, pendingImports: box.value.pendingImports) { result in
          if case .failure(let error) = result {
            box.value.workers.log.error("a batch of scanned files was not saved", ["reason": "\(error)"])
          }
          if case .success(let numbers) = result {
            box.value.library.scan.comingPhotos = max(0, box.value.library.scan.comingPhotos - numbers.count)
          }
          reply((try? result.get()) != nil)
        }
      }
    }
    job.onRoom = { count, reply in
      loop.perform {
        let (library, broker) = (box.value.library, box.value.broker)
        library.scan.comingPhotos = box.value.workers.isStopped ? 0 : min(count, broker.roomForPhotos(in: library))
        reply(library.scan.comingPhotos)
      }
    }
    job.onKnown = { scope, reply in
      loop.perform {
        let runtime = box.value
        let isBeingAddedTo = runtime.pendingImports.isBeingAddedTo || !runtime.library.additions.all.isEmpty
        let carried: StoreCompletion<[AssetRecord]> = { result in
          // Read after the records, so that all of them that were placed are known here.
          loop.perform {
            let placed = box.value.library.assets.placed ?? []
            reply(
              (try? result.get()).map { KnownAssets(assets: $0, placed: placed, isBeingAddedTo: isBeingAddedTo) })
          }
        }
        guard !runtime.workers.isStopped else { return reply(nil) }
        guard let scope else { return runtime.store.assets(of: runtime.library.record.name, completion: carried) }
        runtime.store.assets(of: runtime.library.record.name, in: scope, completion: carried)
      }
    }
    job.onMissing = { sidecars, reply in
      loop.perform {
        guard !box.value.workers.isStopped else { return reply(nil) }
        box.value.library.scan.missingAssets(with: sidecars, completion: reply)
      }
    }
    if looks.isRescanning { looks.looksAnew = false }
    let age = opened.age
    let left = Set(library.additions.abandoned.map(\.addition.number))
    // Refreshes backend facts on full scans only.
    workers.run(.index) {
      (job.run(), folders == nil ? try? storage.facts() : nil)
    } then: { [self] outcome, facts in
      endLook()
      leftovers.forgetCleared()
      guard !workers.isStopped else { return }
      // The result belongs to a storage that was closed meanwhile.
      guard age == opened.age else { return index() }
      if let missed = outcome.missed { note(missed, isWhole: outcome.folders == nil) }
      if outcome.failure == nil {
        take(outcome)
        note(waiting: outcome.waiting, isWhole: outcome.folders == nil)
      }
      looks.note(outcome.due)
      looks.postponed = outcome.due == .nothing ? 0 : looks.postponed + 1
      if outcome.isIncomplete { lookAgain() } else if folders == nil, outcome.failure == nil { looks.incomplete = 0 }
      if let facts { opened.notice(facts) }
      if folders == nil, outcome.failure == nil, !outcome.isIncomplete, !left.isEmpty { leftovers.clearFound(left) }
      finishIndexing(outcome.failure)
    }
  }

  /// Adopts skipped and unreadable files. The log gets reasons and no names.
  private func take(_ outcome: IndexJob.Outcome) {
    broker.libraryNotes.keepVolumes(outcome.volumes, of: library.record.name)
    leftOut.take(outcome)
    status.offlineFolders = leftOut.offline
    lookIntoLateOnes()
    broker.libraryNotes.keepUnusableFiles(
      leftOut.kept(isFar: opened.files?.source.isFar ?? false), of: library.record.name)
    guard outcome.hasNewSkips else { return }
    for (reason, count) in outcome.found.reasons.sorted(by: { $0.key < $1.key }) {
      notices.note("a file was skipped", of: .library("\(library.record.name)"), ["reason": reason], count: count)
    }
  }

  private func note(_ missed: Set<AssetNumber>, isWhole: Bool) {
    looks.missed.take(missed, isWhole: isWhole)
    status.missed = looks.missed.count
    guard let next = looks.missed.next, !looks.isMissedSet else { return }
    looks.isMissedSet = true
    workers.loop.schedule(after: max(next.remaining, .seconds(1))) { [weak self] in
      guard let self, !self.workers.isStopped else { return }
      self.looks.isMissedSet = false
      // An offline storage is tried again anyway.
      if self.status.state != .offline { self.rescan() }
    }
  }

  /// Interval of checks for room for waiting photos.
  private static let roomPause = Duration.seconds(10)
  /// Delay of the full scan that counts waiting photos, after a partial scan without room.
  private static let recountPause = Duration.seconds(20)

  /// Scans again when there is room for waiting photos: other libraries or photos may be removed
  /// meanwhile.
  private func note(waiting count: Int, isWhole: Bool) {
    let before = looks.waiting
    looks.waiting = isWhole ? count : max(before, count)
    status.waiting = looks.waiting
    if isWhole { looks.recount = nil } else { looks.recount = looks.recount ?? .after(Self.recountPause) }
    if before == 0, looks.waiting > 0 {
      workers.log.warning(
        "there is no room for new photos",
        ["library": "\(library.record.name)", "count": "\(looks.waiting)", "limit": "\(broker.bounds.photos)"])
    }
    awaitRoom()
  }

  private func awaitRoom() {
    guard looks.waiting > 0, !looks.isRoomSet else { return }
    looks.isRoomSet = true
    workers.loop.schedule(after: Self.roomPause) { [weak self] in
      guard let self, !self.workers.isStopped else { return }
      self.looks.isRoomSet = false
      let isWorthALook = self.broker.roomForPhotos(in: self.library) > 0 || self.looks.recount?.hasPassed ?? false
      if self.status.state != .offline, isWorthALook { self.rescan() } else { self.awaitRoom() }
    }
  }

  private func lookAgain() {
    workers.loop.schedule(after: looks.pauseAfterIncomplete()) { [weak self] in
      guard let self, !self.workers.isStopped else { return }
      self.rescan()
    }
  }

  /// Reads files with media-worker timeouts again after their backoff.
  private func lookIntoLateOnes() {
    let late = leftOut.unusable.compactMap { file, why in why.late.map { (file.text, $0.next) } }
    guard let next = late.map(\.1).min(), !looks.isLateSet else { return }
    looks.isLateSet = true
    workers.loop.schedule(after: max(next.remaining, .seconds(1))) { [weak self] in
      guard let self, !self.workers.isStopped else { return }
      self.looks.isLateSet = false
      let due = self.leftOut.unusable.compactMap { file, why in
        why.late?.next.hasPassed ?? false ? StorageFolder(of: file.text) : nil
      }
      // A full scan follows when the storage is back.
      guard self.status.state != .offline else { return }
      guard !due.isEmpty else { return self.lookIntoLateOnes() }
      self.look(.folders(StorageFolder.reduced(due)))
    }
  }

  /// Ends an app's addition of files. A running scan may have read the known assets before it.
  func didAdd() {
    pendingImports.didWrite()
    if looks.isIndexing { looks.additions += 1 } else { pendingImports.end() }
  }

  private func endLook() {
    looks.isIndexing = false
    library.scan.end()
    looks.isRescanning = false
    status.progress = (0, 0)
    for _ in 0..<looks.additions { pendingImports.end() }
    looks.additions = 0
  }

  private func finishIndexing(_ failure: Reason?) {
    if let failure { return goOffline(failure) }
    status.goOnline()
    compactIfNeeded()
    trash.moveToTrash()
    if looks.rescanAsked { return index() }
    if looks.due != .nothing { return lookWhereDue() }
    waitForChanges()
  }

  /// Waits on a worker for the backend to notice changes, then scans.
  private func waitForChanges() {
    guard let storage = opened.storage, let files = opened.files else { return }
    let age = opened.age
    looks.waits += 1
    let end = MonotonicTime.after(Self.longestWait)
    let (isTimeForLinks, hardLinked) = (looks.isTimeForLinks(.now), leftOut.files.hardLinked)
    workers.attempt(.index) { () throws(StorageFailure) -> StorageNews in
      let news = try storage.waitForChanges(Self.longestWait)
      guard news != .nothing || isTimeForLinks else { return news }
      // A deleted link may leave its photo's other link usable. One scan must find both changes,
      // so that the asset keeps its identity (R95).
      return news.joined(files.source.news(ofHardLinked: hardLinked))
    } then: { [self] result in
      guard !workers.isStopped, age == opened.age else { return }
      switch result {
      // A read may have started a partial scan meanwhile; it takes these folders along.
      case .success(let news) where looks.isIndexing: looks.note(news)
      case .failure where looks.isIndexing: break
      case .success(.nothing): looks.rescanAsked ? index() : waitAgain(early: end.remaining > Self.longestWait / 2)
      case .success(let news): look(news)
      case .failure(let failure): goOffline(failure.reason)
      }
    }
  }

  private static let longestWait = Duration.seconds(2)

  /// - Parameter early: Whether the storage returned early without changes. A storage that always
  ///   does would keep a processor busy.
  private func waitAgain(early: Bool) {
    let pause = early ? looks.waitPace.take(now: .now) : .zero
    guard pause > .zero else { return waitForChanges() }
    let (age, wait) = (opened.age, looks.waits)
    workers.loop.schedule(after: pause) { [weak self] in
      // A scan may have run meanwhile, and started another wait.
      guard let self, !self.workers.isStopped, age == self.opened.age, wait == self.looks.waits, !self.looks.isIndexing
      else {
        return
      }
      self.waitForChanges()
    }
  }

  /// Scans changed folders, now or when the rate limiter allows.
  func look(_ news: StorageNews) {
    looks.note(news)
    lookWhereDue()
  }

  private func lookWhereDue() {
    // The scan that waits for its time takes these along.
    guard !looks.isPaused else { return }
    let pause = looks.pace.take(now: .now)
    guard pause > .zero else { return indexWhereDue() }
    looks.isPaused = true
    workers.loop.schedule(after: pause) { [weak self] in
      // A full scan may have run meanwhile.
      guard let self, self.looks.isPaused else { return }
      self.looks.isPaused = false
      self.indexWhereDue()
    }
  }

  private func indexWhereDue() {
    switch looks.due {
    case .nothing: break
    case .anywhere: index()
    case .folders(let folders): index(folders)
    }
  }

  /// Compacts the catalogue on a worker once enough has changed. The library is served from the old
  /// one meanwhile.
  private func compactIfNeeded() {
    guard library.catalogue.isWorthCompacting else { return }
    let snapshot = LoopConfined(library.assets.takeSnapshot())
    workers.run(.index) {
      LoopConfined(snapshot.value.compacted())
    } then: { [self] compacted in
      library.assets.adopt(compacted.value)
    }
  }
}
