import Broker
import Catalogue
import Delivery
import EventLoop
import Indexer
import Monitor
import PhotoModel
import PluginHost

struct Looks {
  var isIndexing = false
  /// Whether a full scan is due.
  var rescanAsked = false
  /// Whether a full scan on request is running.
  var isRescanning = false
  /// Whether it also reads unusable files again.
  var looksAnew = false
  /// Running attempts to open the storage.
  var starts = 0
  /// Changed folders since the last scan began.
  var due = StorageNews.nothing
  /// Whether a scan waits for the rate limiter.
  var isPaused = false
  /// Whether a timer for files with timeouts is set.
  var isLateSet = false
  /// Assets that went missing many at a time. They count as deleted after a grace period.
  var missed = MissedPhotos()
  /// Whether a timer for the end of their grace period is set.
  var isMissedSet = false
  var pace = LookPace()
  /// Rate limiter for a storage that returns early from its wait for changes.
  var waitPace = LookPace()
  /// Number of waits for changes that began.
  var waits = 0
  /// Files added during the running scan.
  var additions = 0
  /// Scans in a row that left moving files to the next one.
  var postponed = 0
  static let postponedLimit = 5
  /// New photos without room, as far as scans tell.
  var waiting = 0
  /// Whether a timer for more room is set.
  var isRoomSet = false
  /// Time of the next full scan that counts photos without room, because partial scans only find
  /// more. Nil: the last scan counted them.
  var recount: MonotonicTime?
  /// Full scans in a row with a busy file.
  var incomplete = 0

  /// Backoff before the next one: a busy file is free after a moment, and one that is always busy
  /// costs a scan now and then.
  mutating func pauseAfterIncomplete() -> Duration {
    defer { incomplete = min(incomplete + 1, 16) }
    return min(.seconds(2 << max(0, incomplete - 4)), .seconds(300))
  }

  /// Interval of checks for files that stopped being hard links.
  private static let linkPause = Duration.seconds(5)
  private var linksAsked = ContinuousClock.now

  mutating func isTimeForLinks(_ now: ContinuousClock.Instant) -> Bool {
    guard now - linksAsked >= Self.linkPause else { return false }
    linksAsked = now
    return true
  }

  mutating func note(_ news: StorageNews) { due = due.joined(news) }
}

extension StorageNews {
  fileprivate func joined(_ other: StorageNews) -> StorageNews {
    switch (self, other) {
    case (_, .nothing), (.anywhere, _): return self
    case (_, .anywhere), (.nothing, _): return other
    case (.folders(let known), .folders(let more)):
      let folders = StorageFolder.reduced(known + more)
      return folders.count <= StorageFolder.listLimit ? .folders(folders) : .anywhere
    }
  }
}

/// Scans of the storage: full at first and on request, then of changed folders.
extension LibraryRuntime {
  /// Whether the first scan or a requested one is running or due.
  var isLooking: Bool { status.state == .indexing || looks.rescanAsked || looks.isRescanning }

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

  func startAgain() {
    if !workers.isStopped, status.state == .offline, looks.starts == 0 { start() }
  }

  /// - Parameter folders: Changed folders; nil: a full scan.
  func index(_ folders: [StorageFolder]? = nil) {
    guard let storage = opened.storage, let files = opened.files, !workers.isStopped, !looks.isIndexing else { return }
    looks.isIndexing = true
    library.beginLook()
    looks.isPaused = false
    looks.due = .nothing
    let folders = looks.rescanAsked ? nil : folders
    looks.isRescanning = looks.rescanAsked
    looks.rescanAsked = false
    if status.state == .offline || library.catalogue.count == 0 { status.beginIndexing() }
    if folders == nil { opened.takeUpMediaWorker() }
    let job = IndexJob(
      storage: storage, files: files, media: opened.media, folders: folders,
      volumes: core.broker.volumes(of: library.record.name),
      unusable: looks.isRescanning && looks.looksAnew ? leftOut.damagedSidecars : leftOut.unusable,
      believed: looks.missed.believed(), mayPostpone: looks.postponed < Looks.postponedLimit,
      builder: AssetBuilder(zone: opened.zone, now: core.environment.now), looking: looking)
    let box = Box(self)
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
        box.value.library.apply(batch, prior: prior, newcomers: box.value.newcomers) { result in
          if case .failure(let error) = result {
            box.value.workers.log.error("an index batch was not kept", ["reason": "\(error)"])
          }
          if case .success(let numbers) = result {
            box.value.library.comingPhotos = max(0, box.value.library.comingPhotos - numbers.count)
          }
          reply((try? result.get()) != nil)
        }
      }
    }
    job.onRoom = { count, reply in
      loop.perform {
        let (library, broker) = (box.value.library, box.value.core.broker)
        library.comingPhotos = box.value.workers.isStopped ? 0 : min(count, broker.roomForPhotos(in: library))
        reply(library.comingPhotos)
      }
    }
    job.onKnown = { scope, reply in
      loop.perform {
        let runtime = box.value
        let isBeingAddedTo = runtime.newcomers.isBeingAddedTo || !runtime.library.additions.all.isEmpty
        let carried: @Sendable (Result<[AssetRecord], StoreFailure>) -> Void = { result in
          // Read after the records, so that all of them that were placed are known here.
          loop.perform {
            let placed = box.value.library.placed ?? []
            reply(
              (try? result.get()).map { IndexJob.Known(assets: $0, placed: placed, isBeingAddedTo: isBeingAddedTo) })
          }
        }
        guard !runtime.workers.isStopped else { return reply(nil) }
        guard let scope else { return runtime.core.store.assets(of: runtime.library.record.name, completion: carried) }
        runtime.core.store.assets(of: runtime.library.record.name, in: scope, completion: carried)
      }
    }
    if looks.isRescanning { looks.looksAnew = false }
    let age = opened.age
    let left = Set(library.abandonedAdditions.map(\.addition.number))
    // Refreshes backend facts on full scans only.
    workers.run(.index) {
      (job.run(), folders == nil ? try? storage.facts() : nil)
    } then: { [self] outcome, facts in
      endLook()
      forgetCleared()
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
      if folders == nil, outcome.failure == nil, !outcome.isIncomplete, !left.isEmpty { clearFound(left) }
      finishIndexing(outcome.failure)
    }
  }

  /// Adopts skipped and unreadable files. The log gets reasons and no names.
  private func take(_ outcome: IndexJob.Outcome) {
    core.broker.keepVolumes(outcome.volumes, of: library.record.name)
    let hasMore = leftOut.take(outcome)
    status.offlineFolders = leftOut.offline
    lookIntoLateOnes()
    core.broker.keepUnusableFiles(leftOut.kept(isFar: opened.files?.source.isFar ?? false), of: library.record.name)
    guard hasMore else { return }
    for (reason, count) in outcome.skippedReasons.sorted(by: { $0.key < $1.key }) {
      core.notices.note("a file was skipped", of: .library("\(library.record.name)"), ["reason": reason], count: count)
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
        ["library": "\(library.record.name)", "count": "\(looks.waiting)", "limit": "\(core.broker.bounds.photos)"])
    }
    awaitRoom()
  }

  private func awaitRoom() {
    guard looks.waiting > 0, !looks.isRoomSet else { return }
    looks.isRoomSet = true
    workers.loop.schedule(after: Self.roomPause) { [weak self] in
      guard let self, !self.workers.isStopped else { return }
      self.looks.isRoomSet = false
      let isWorthALook = self.core.broker.roomForPhotos(in: self.library) > 0 || self.looks.recount?.hasPassed ?? false
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

  private func endLook() {
    looks.isIndexing = false
    library.endLook()
    looks.isRescanning = false
    status.progress = (0, 0)
    for _ in 0..<looks.additions { newcomers.end() }
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
    let (isTimeForLinks, hardLinked) = (looks.isTimeForLinks(.now), leftOut.hardLinked)
    workers.run(.index) { () -> Result<StorageNews, StorageFailure> in
      Result { () throws(StorageFailure) in
        let news = try storage.waitForChanges(Self.longestWait)
        guard news != .nothing || isTimeForLinks else { return news }
        // A deleted link may leave its photo's other link usable. One scan must find both changes,
        // so that the asset keeps its identity (R95).
        return news.joined(files.source.news(ofHardLinked: hardLinked))
      }
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
    let snapshot = Box(library.takeSnapshot())
    workers.run(.index) {
      Box(snapshot.value.compacted())
    } then: { [self] compacted in
      library.adopt(compacted.value)
    }
  }
}
