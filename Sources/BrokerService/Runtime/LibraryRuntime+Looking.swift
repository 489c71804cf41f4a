import Broker
import Catalogue
import Delivery
import EventLoop
import Indexer
import Monitor
import PhotoModel
import PluginHost

/// When a library's storage is looked at.
struct Looks {
  var isIndexing = false
  /// Whether everything is to be looked at once more.
  var rescanAsked = false
  /// Whether that is being done.
  var isRescanning = false
  /// Whether it is to look into files as well of which nothing could be made before.
  var looksAnew = false
  /// How many attempts to open the storage are under way.
  var starts = 0
  /// Where something changed since the last look began.
  var due = StorageNews.nothing
  /// Whether a look waits for its time.
  var isPaused = false
  /// Whether files about which no answer came in time are looked into again after a while.
  var isLateSet = false
  /// What the storage stopped listing many at a time.
  var missed = MissedPhotos()
  /// Whether it is looked whether that is still missed when it will be believed.
  var isMissedSet = false
  var pace = LookPace()
  /// How often a storage is asked again that says before its time that nothing changed.
  var waitPace = LookPace()
  /// Counts the waits that were begun.
  var waits = 0
  /// What was added while the storage was looked at.
  var additions = 0
  /// Looks, one after the other, that left something to the next one, since files moved meanwhile.
  var postponed = 0
  static let postponedLimit = 5
  /// New photos for which there is no room, as far as the looks tell.
  var waiting = 0
  /// Whether it is seen in a while whether there is room by then.
  var isRoomSet = false
  /// When all is looked at to see how many wait, since looks at some folders tell only of more;
  /// nil: the last look told.
  var recount: MonotonicTime?
  /// Looks at everything, one after the other, in which something was busy.
  var incomplete = 0

  /// How long to wait before the next one: what was busy is there in a moment, and what never is
  /// costs a look now and then.
  mutating func pauseAfterIncomplete() -> Duration {
    defer { incomplete = min(incomplete + 1, 16) }
    return min(.seconds(2 << max(0, incomplete - 4)), .seconds(300))
  }

  /// How often it is asked whether a file has lost its second name.
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

/// Looks at the storage: all of it at first and where somebody asks for that, then where something changed.
extension LibraryRuntime {
  /// Whether the storage is looked at for the first time, or because somebody asked for that.
  var isLooking: Bool { state == .indexing || looks.rescanAsked || looks.isRescanning }

  /// Looks at everything, as its owner wants it: into files as well of which nothing could be made
  /// before, and what is missed still is taken for deleted.
  func rescanForOwner() {
    looks.missed.confirm()
    rescan(anew: true)
  }

  /// Looks at everything; where the storage is away, whether it is back.
  /// - Parameter anew: into files as well of which nothing could be made before.
  func rescan(anew: Bool = false) {
    looks.rescanAsked = true
    looks.looksAnew = looks.looksAnew || anew
    if state == .offline { return startAgain() }
    if !looks.isIndexing { index() }
  }

  /// Opens a storage that is away, unless that is being tried.
  func startAgain() {
    if !isStopped, state == .offline, looks.starts == 0 { start() }
  }

  /// - Parameter folders: Where something changed; nil: look at everything.
  func index(_ folders: [StorageFolder]? = nil) {
    guard let storage, let files, !isStopped, !looks.isIndexing else { return }
    looks.isIndexing = true
    library.beginLook()
    looks.isPaused = false
    looks.due = .nothing
    let folders = looks.rescanAsked ? nil : folders
    looks.isRescanning = looks.rescanAsked
    looks.rescanAsked = false
    if state == .offline || library.catalogue.count == 0 { state = .indexing }
    if folders == nil { takeUpMediaWorker() }
    let job = IndexJob(
      storage: storage, files: files, media: media, folders: folders,
      volumes: core.broker.volumes(of: library.record.name),
      unusable: looks.isRescanning && looks.looksAnew ? leftOut.damagedSidecars : leftOut.unusable,
      believed: looks.missed.believed(), mayPostpone: looks.postponed < Looks.postponedLimit,
      builder: AssetBuilder(zone: zone, now: core.environment.now), looking: looking)
    let box = Box(self)
    let loop = core.loop
    job.onProgress = { done, total in
      loop.perform {
        box.value.progress = (done, total)
        box.value.tellWatchers()
      }
    }
    job.onBatch = { batch, prior, reply in
      loop.perform {
        guard !box.value.isStopped else { return reply(false) }
        box.value.library.apply(batch, prior: prior, newcomers: box.value.newcomers) { result in
          if case .failure(let error) = result {
            box.value.core.log.error("an index batch was not kept", ["reason": "\(error)"])
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
        library.comingPhotos = box.value.isStopped ? 0 : min(count, broker.roomForPhotos(in: library))
        reply(library.comingPhotos)
      }
    }
    job.onKnown = { scope, reply in
      loop.perform {
        let runtime = box.value
        let isBeingAddedTo = runtime.newcomers.isBeingAddedTo || !runtime.library.additions.all.isEmpty
        let carried: @Sendable (Result<[AssetRecord], StoreFailure>) -> Void = { result in
          // Asked after they were read: what is among them was placed before.
          loop.perform {
            let placed = box.value.library.placed ?? []
            reply(
              (try? result.get()).map { IndexJob.Known(assets: $0, placed: placed, isBeingAddedTo: isBeingAddedTo) })
          }
        }
        guard !runtime.isStopped else { return reply(nil) }
        guard let scope else { return runtime.core.store.assets(of: runtime.library.record.name, completion: carried) }
        runtime.core.store.assets(of: runtime.library.record.name, in: scope, completion: carried)
      }
    }
    if looks.isRescanning { looks.looksAnew = false }
    let age = storageAge
    let left = Set(library.abandonedAdditions.map(\.addition.number))
    // What it is and how it watches changes with a look at everything only.
    work(indexing) {
      (job.run(), folders == nil ? try? storage.facts() : nil)
    } then: { [self] outcome, facts in
      endLook()
      forgetCleared()
      guard !isStopped else { return }
      // The storage was closed meanwhile, and says nothing of the one that was opened since.
      guard age == storageAge else { return index() }
      if let missed = outcome.missed { note(missed, isWhole: outcome.folders == nil) }
      if outcome.failure == nil {
        take(outcome)
        note(waiting: outcome.waiting, isWhole: outcome.folders == nil)
      }
      looks.note(outcome.due)
      looks.postponed = outcome.due == .nothing ? 0 : looks.postponed + 1
      if outcome.isIncomplete { lookAgain() } else if folders == nil, outcome.failure == nil { looks.incomplete = 0 }
      if let facts { notice(facts) }
      if folders == nil, outcome.failure == nil, !outcome.isIncomplete, !left.isEmpty { clearFound(left) }
      finishIndexing(outcome.failure)
    }
  }

  /// What could not be used, and where nothing could be seen. The log gets the reasons and never a name.
  private func take(_ outcome: IndexJob.Outcome) {
    core.broker.keepVolumes(outcome.volumes, of: library.record.name)
    let hasMore = leftOut.take(outcome)
    lookIntoLateOnes()
    core.broker.keepUnusableFiles(leftOut.kept(isFar: files?.source.isFar ?? false), of: library.record.name)
    guard hasMore else { return }
    for (reason, count) in outcome.skippedReasons.sorted(by: { $0.key < $1.key }) {
      core.notices.note("a file was skipped", of: .library("\(library.record.name)"), ["reason": reason], count: count)
    }
  }

  /// Looks again when what is missed will be taken for deleted.
  private func note(_ missed: Set<AssetNumber>, isWhole: Bool) {
    looks.missed.take(missed, isWhole: isWhole)
    guard let next = looks.missed.next, !looks.isMissedSet else { return }
    looks.isMissedSet = true
    core.loop.schedule(after: max(next.remaining, .seconds(1))) { [weak self] in
      guard let self, !self.isStopped else { return }
      self.looks.isMissedSet = false
      // One that is away is looked at again and again.
      if self.state != .offline { self.rescan() }
    }
  }

  /// Between two times that it is seen whether there is room for what waits.
  private static let roomPause = Duration.seconds(10)
  /// How long after a look at some folders all is looked at to see how many wait, where there is no room.
  private static let recountPause = Duration.seconds(20)

  /// Looks again when there is room for new photos that wait: libraries or photos of their owner or
  /// of others may go meanwhile.
  private func note(waiting count: Int, isWhole: Bool) {
    let before = looks.waiting
    looks.waiting = isWhole ? count : max(before, count)
    if isWhole { looks.recount = nil } else { looks.recount = looks.recount ?? .after(Self.recountPause) }
    if before == 0, looks.waiting > 0 {
      core.log.warning(
        "there is no room for new photos",
        ["library": "\(library.record.name)", "count": "\(looks.waiting)", "limit": "\(core.broker.bounds.photos)"])
    }
    awaitRoom()
  }

  private func awaitRoom() {
    guard looks.waiting > 0, !looks.isRoomSet else { return }
    looks.isRoomSet = true
    core.loop.schedule(after: Self.roomPause) { [weak self] in
      guard let self, !self.isStopped else { return }
      self.looks.isRoomSet = false
      let isWorthALook = self.core.broker.roomForPhotos(in: self.library) > 0 || self.looks.recount?.hasPassed ?? false
      if self.state != .offline, isWorthALook { self.rescan() } else { self.awaitRoom() }
    }
  }

  /// What the owner is told while the library is online.
  private var remark: Reason? {
    if looks.missed.count > 0 { return .missed(looks.missed.count) }
    if looks.waiting > 0 { return .waiting(looks.waiting, limit: core.broker.bounds.photos) }
    if let silent = silentPolicies ?? mappingProblem { return silent }
    guard let first = leftOut.offline.first else {
      return trashProblem.map { problem in
        let count = library.awaitingTrash.count
        return Reason(
          .trashWaits,
          "\(count) deleted photo\(count == 1 ? " is" : "s are") out of every app's sight, but not in the trash yet: \(problem.text)",
          ["count": "\(count)"], parts: [problem])
      } ?? storageNotice
    }
    let count = leftOut.offline.count
    let more = count > 1 ? " and \(count - 1) more" : ""
    return Reason(
      .foldersAway,
      "Folder \"\(first.path)\"\(more) is away or cannot be read; the photos known in it are kept, and offline",
      ["folder": first.path, "count": "\(count)"])
  }

  func showProblem() {
    guard state != .offline else { return }
    problem = remark
    tellWatchers()
  }

  /// Something was busy: what was left out for that is looked at again.
  private func lookAgain() {
    core.loop.schedule(after: looks.pauseAfterIncomplete()) { [weak self] in
      guard let self, !self.isStopped else { return }
      self.rescan()
    }
  }

  /// Looks again into files about which the media worker gave no answer in time, when their pause is over.
  private func lookIntoLateOnes() {
    let late = leftOut.unusable.compactMap { file, why in why.late.map { (file.text, $0.next) } }
    guard let next = late.map(\.1).min(), !looks.isLateSet else { return }
    looks.isLateSet = true
    core.loop.schedule(after: max(next.remaining, .seconds(1))) { [weak self] in
      guard let self, !self.isStopped else { return }
      self.looks.isLateSet = false
      let due = self.leftOut.unusable.compactMap { file, why in
        why.late?.next.hasPassed ?? false ? StorageFolder(of: file.text) : nil
      }
      // Once the storage is back everything is looked at.
      guard self.state != .offline else { return }
      guard !due.isEmpty else { return self.lookIntoLateOnes() }
      self.look(.folders(StorageFolder.reduced(due)))
    }
  }

  private func endLook() {
    looks.isIndexing = false
    library.endLook()
    looks.isRescanning = false
    progress = (0, 0)
    for _ in 0..<looks.additions { newcomers.end() }
    looks.additions = 0
  }

  private func finishIndexing(_ failure: Reason?) {
    if let failure { return goOffline(failure) }
    problem = remark
    state = .online
    compactIfNeeded()
    moveToTrash()
    if looks.rescanAsked { return index() }
    if looks.due != .nothing { return lookWhereDue() }
    waitForChanges()
  }

  /// Waits for the backend to notice something, away from the loop, and looks again.
  private func waitForChanges() {
    guard let storage, let files else { return }
    let age = storageAge
    looks.waits += 1
    let end = MonotonicTime.after(Self.longestWait)
    let (isTimeForLinks, hardLinked) = (looks.isTimeForLinks(.now), leftOut.hardLinked)
    work(indexing) { () -> Result<StorageNews, StorageFailure> in
      Result { () throws(StorageFailure) in
        let news = try storage.waitForChanges(Self.longestWait)
        guard news != .nothing || isTimeForLinks else { return news }
        // A name that went may have been another one's second: the photo is the same where one look finds both (R95).
        return news.joined(files.source.news(ofHardLinked: hardLinked))
      }
    } then: { [self] result in
      guard !isStopped, age == storageAge else { return }
      switch result {
      // A look at some folders may have been begun meanwhile by somebody who read there; it goes on with these.
      case .success(let news) where looks.isIndexing: looks.note(news)
      case .failure where looks.isIndexing: break
      case .success(.nothing): looks.rescanAsked ? index() : waitAgain(early: end.remaining > Self.longestWait / 2)
      case .success(let news): look(news)
      case .failure(let failure): goOffline(failure.reason)
      }
    }
  }

  private static let longestWait = Duration.seconds(2)

  /// - Parameter early: Whether the storage said before its time that nothing changed. One that
  ///   always does would keep a processor busy.
  private func waitAgain(early: Bool) {
    let pause = early ? looks.waitPace.take(now: .now) : .zero
    guard pause > .zero else { return waitForChanges() }
    let (age, wait) = (storageAge, looks.waits)
    core.loop.schedule(after: pause) { [weak self] in
      // It may have been looked at meanwhile, and waits again since then.
      guard let self, !self.isStopped, age == self.storageAge, wait == self.looks.waits, !self.looks.isIndexing else {
        return
      }
      self.waitForChanges()
    }
  }

  /// Looks where something may have changed, at once or a moment later.
  func look(_ news: StorageNews) {
    looks.note(news)
    lookWhereDue()
  }

  private func lookWhereDue() {
    // The one that waits for its time takes this along.
    guard !looks.isPaused else { return }
    let pause = looks.pace.take(now: .now)
    guard pause > .zero else { return indexWhereDue() }
    looks.isPaused = true
    core.loop.schedule(after: pause) { [weak self] in
      // Everything may have been looked at meanwhile.
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
}
