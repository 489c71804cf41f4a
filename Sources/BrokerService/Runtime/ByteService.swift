import Broker
import Catalogue
import Delivery
import EventLoop
import Limits
import PhotoModel
import PluginHost

/// Bytes of one library: files of an asset, copies and pieces of them, and the jobs that make these.
final class ByteService: LibraryService {
  /// Size in bytes from which a read is queued fairly and can be cancelled; remote reads always
  /// are.
  private static let longCopyBytes: Int64 = 8 << 20
  /// Size in bytes from which a cached copy is moved into large pages.
  private static let largeCopyBytes = 1 << 20
  private static let resourceCacheLimit = 4_096

  let context: LibraryContext
  private let opened: OpenedStorage
  private let scanner: Scanner
  private var resourceCache: [AssetNumber: (version: UInt32, resources: [ResourceRecord])] = [:]
  /// Running copies, pieces and pictures.
  private var making: [ObjectIdentifier: RenditionJob] = [:]
  /// Queue for copies of large files and fetches of remote ones.
  private var carrying = FairQueue(places: LibraryWorkers.Kind.carry.threads)

  init(_ context: LibraryContext, opened: OpenedStorage, scanner: Scanner) {
    self.context = context
    self.opened = opened
    self.scanner = scanner
  }

  /// Cancels all jobs. Call it after the workers' stop: queued jobs have ended with the threads.
  func stop() {
    carrying = FairQueue(places: LibraryWorkers.Kind.carry.threads)
    giveUp()
    making = [:]
  }

  // MARK: Reading

  /// The files of an asset, from memory if its row has not changed.
  func resources(of row: AssetRow, _ completion: @escaping Completion<[ResourceRecord]>) {
    if let known = resourceCache[row.number], known.version == row.version {
      return completion(.success(known.resources))
    }
    record(of: row) { [self] result in
      if case .success(let record) = result {
        if resourceCache.count >= Self.resourceCacheLimit { resourceCache.removeAll(keepingCapacity: true) }
        resourceCache[row.number] = (row.version, record.resources)
      }
      completion(result.map(\.resources))
    }
  }

  func record(of row: AssetRow, _ completion: @escaping Completion<AssetRecord>) {
    store.asset(row.number, of: library.record.name) { result in
      switch result {
      case .failure(let failure): completion(.failure(.failed(.notRead, failure.message)))
      case .success(nil): completion(.failure(.identifierNotFound()))
      case .success(let record?): completion(.success(record))
      }
    }
  }

  /// A sealed copy of a resource of at most ``ServiceLimits/openedBytes``, cached for the app.
  ///
  /// - Parameter progress: Gets the number of bytes that arrived from a remote source.
  func copy(
    of resource: ResourceRecord, asset: AssetNumber, for reader: ByteRecipient, progress: ((Int) -> Void)? = nil,
    _ completion: @escaping Completion<SealedCopy>
  ) {
    guard let files = opened.files else { return completion(.failure(.offline)) }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    guard resource.size <= ServiceLimits.openedBytes else { return completion(.failure(.tooLargeToOpen)) }
    let key = LibraryFiles.key(reader, asset, resource)
    if let kept = files.cache.kept(key) {
      completion(.success(kept))
      return prepareForMore(kept)
    }
    let job = begin(resource, asset, for: reader, progress: progress)
    let (transfer, completion) = (job.transfer, workers.answered(completion))
    work(on: resource, for: reader, job) { () -> Result<SealedCopy, DeliveryError> in
      Result { () throws(DeliveryError) in try files.copy(key, size: resource.size, digest: resource.digest, transfer) }
    } then: { [self] result in
      job.end()
      lookIfChanged(resource, result)
      completion(result.mapError { told($0, of: resource) })
    }
  }

  /// A copy requested twice may be requested often. Large pages cost more than one read, and most
  /// photos are read once.
  private func prepareForMore(_ copy: SealedCopy) {
    guard copy.byteCount >= Self.largeCopyBytes, copy.isFirstReuse() else { return }
    workers.run(.read) {
      copy.useLargePages()
    } then: { _ in
    }
  }

  /// A piece of a resource. A file that is too large to be copied is read in place.
  func piece(
    of resource: ResourceRecord, asset: AssetNumber, for reader: ByteRecipient, offset: Int64, length: Int64,
    _ completion: @escaping Completion<InlinePiece>
  ) {
    guard isReadInParts(resource) else {
      return copy(of: resource, asset: asset, for: reader) { result in
        completion(result.flatMap { InlinePiece.part(of: $0, offset: offset, length: length) })
      }
    }
    guard let files = opened.files else { return completion(.failure(.offline)) }
    if let damage = damage(of: resource) { return completion(.failure(damage)) }
    let key = LibraryFiles.key(reader, asset, resource)
    let job = begin(resource, asset, for: reader)
    let (transfer, completion) = (job.transfer, workers.answered(completion))
    let body = { @Sendable () -> Result<InlinePiece, DeliveryError> in
      Result { () throws(DeliveryError) in
        try files.piece(key, size: resource.size, offset: offset, length: length, transfer)
      }
    }
    let then = { [self] (result: Result<InlinePiece, DeliveryError>) in
      job.end()
      lookIfChanged(resource, result)
      completion(result.mapError { told($0, of: resource) })
    }
    // A local piece costs as little as a small photo.
    if files.source.isFar {
      workInTurn(of: reader.user, reader.app, job, body, then: then)
    } else {
      workers.run(.read, body, then: then)
    }
  }

  func isReadInParts(_ resource: ResourceRecord) -> Bool { opened.files?.isReadInParts(resource.size) ?? false }

  private func told(_ error: DeliveryError, of resource: ResourceRecord) -> BrokerError {
    isOffline(resource) ? .offline : BrokerError(delivery: error)
  }

  /// The error for a file that was damaged in its place. Its asset stays, because a program may be
  /// saving it.
  func damage(of resource: ResourceRecord) -> BrokerError? {
    scanner.leftOut.unusable[ExactText(resource.locator)].map {
      .photos(
        .invalidResource,
        "The photo's file is damaged or incomplete (\($0.reason.text)); ask again when it has been repaired.")
    }
  }

  /// Scans a changed file's folder soon, because an unwatched folder reports no change. An added
  /// hard link is not reported.
  func lookIfChanged<T>(_ resource: ResourceRecord, _ result: Result<T, DeliveryError>) {
    guard case .failure(let error) = result, !scanner.isScanning else { return }
    let isUnreadable = [.permissionDenied, .foreignOwner, .hardLinked].contains(error.code)
    guard
      error.code == .changedWhileReading
        || (isUnreadable && !isOffline(resource) && !scanner.leftOut.names(resource.locator))
    else { return }
    scanner.look(.folders([StorageFolder(of: resource.locator)]))
  }

  private func isOffline(_ resource: ResourceRecord) -> Bool { scanner.leftOut.isOffline(resource.locator) }

  // MARK: Jobs

  /// Registers a job that is cancelled when its reader stops waiting or loses access.
  ///
  /// - Parameters:
  /// - takesLong: Whether it can take long even for small local files.
  /// - progress: Gets the number of bytes that arrived from a remote source.
  /// - didEnd: Runs when it is over.
  func begin(
    _ resource: ResourceRecord, _ asset: AssetNumber, for reader: ByteRecipient, takesLong: Bool = false,
    progress: ((Int) -> Void)? = nil,
    didEnd: @escaping (Transfer) -> Void = { _ in }
  ) -> RenditionJob {
    let job = RenditionJob(reader.app, asset) { [self] job in
      making[ObjectIdentifier(job)] = nil
      didEnd(job.transfer)
    }
    making[ObjectIdentifier(job)] = job
    if takesLong || isLong(resource) { watch(job, reader, progress) }
    return job
  }

  /// Runs a long operation in its user's turn, on separate threads, and everything else at once.
  func work<R: Sendable>(
    on resource: ResourceRecord, for reader: ByteRecipient, _ job: RenditionJob, _ body: @escaping @Sendable () -> R,
    then: @escaping (R) -> Void
  ) {
    guard isLong(resource) else { return workers.run(.read, body, then: then) }
    workInTurn(of: reader.user, reader.app, copying: resource.size, job, body, then: then)
  }

  /// Waits for memory for a copy, until nobody wants the copy.
  /// - Parameter begin: Gets the share of the memory.
  func withMemory(
    for size: Int64, of user: UInt32, isWanted: @escaping () -> Bool,
    _ begin: @escaping (SharedAllowance.Share?) -> Void
  ) {
    if let share = shares.copying.take(Int(clamping: size), of: user) { return begin(share) }
    guard isWanted() else { return begin(nil) }
    workers.loop.schedule(after: .milliseconds(50)) { [self] in
      withMemory(for: size, of: user, isWanted: isWanted, begin)
    }
  }

  /// - Parameters:
  /// - user: The user whose programs wait.
  /// - size: Bytes of the copy that it makes.
  /// - job: A job that may be cancelled meanwhile; `body` then ends at once.
  func workInTurn<R: Sendable>(
    of user: UInt32, _ app: AppIdentifier, copying size: Int64 = 0, _ job: RenditionJob? = nil,
    _ body: @escaping @Sendable () -> R,
    then: @escaping (R) -> Void
  ) {
    let turn = FairQueue.Turn(user: user, app: app) { [self] done in
      withMemory(for: size, of: user, isWanted: { job?.transfer.isWanted ?? true }) { [self] memory in
        workers.run(.carry, body) { result in
          memory?.end()
          done()
          then(result)
        }
      }
    }
    // A cancelled job is answered now, and does not wait for those before it.
    job?.leave = { [self, weak turn] in
      if let turn, carrying.drop(turn) { workers.run(.read, body, then: then) }
    }
    carrying.take(turn)
  }

  private func isLong(_ resource: ResourceRecord) -> Bool {
    resource.size > Self.longCopyBytes || opened.files?.source.isFar ?? false
  }

  private func watch(_ job: RenditionJob, _ reader: ByteRecipient, _ progress: ((Int) -> Void)?) {
    workers.loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard !job.isOver, job.transfer.isWanted else { return }
      guard reader.isWanted() else { return job.cancel() }
      progress?(job.transfer.count)
      self?.watch(job, reader, progress)
    }
  }

  /// Drops an app's cached copies of assets that it may no longer see, and cancels jobs for them.
  /// Copies of other assets stay: a holder of an attenuated token must not learn, from a slower
  /// read, that the app lost something else.
  ///
  /// Call it in a turn after that of the narrowing.
  func forgetUnseenCopies(of app: AppIdentifier) {
    giveUpUnseen(of: app)
    let (files, copies) = (opened.files, opened.copies)
    workers.run(.read) {
      let kept = files?.keys { $0.app == app }.map(\.asset.rawValue) ?? []
      return copies.items(of: app.description).union(kept)
    } then: { [self] items in
      let seen = broker.handed(items.map { AssetNumber($0) }, to: app, in: library)
      let unseen = items.subtracting(seen.map(\.rawValue))
      guard !unseen.isEmpty else { return }
      workers.run(.read) {
        files?.forget { $0.app == app && unseen.contains($0.asset.rawValue) }
        copies.forget(group: app.description, items: unseen)
      } then: { _ in
      }
    }
  }

  /// Drops an app's cached copies, and cancels jobs for assets that it may no longer see. The end
  /// of an add-only grant cancels no job of a grant that reads.
  func forgetCopies(of app: AppIdentifier) {
    giveUpUnseen(of: app)
    dropCopies(of: app)
  }

  /// Drops an app's cached copies, which it may read again. Runs on a worker, because freeing a
  /// full cache takes longer than a revocation may.
  func dropCopies(of app: AppIdentifier) {
    let (files, copies) = (opened.files, opened.copies)
    workers.run(.read) {
      files?.forget { $0.app == app }
      copies.forget(group: app.description)
    } then: { _ in
    }
  }

  /// Drops all apps' cached copies, and cancels their jobs.
  func forgetAppCopies() {
    giveUp { $0.app != ByteRecipient.owner }
    for app in Set(broker.grants(in: library.record.name).map(\.record.key.app)) { dropCopies(of: app) }
  }

  private func giveUpUnseen(of app: AppIdentifier) {
    let jobs = making.values.filter { $0.app == app }
    if jobs.isEmpty { return }
    let shown = broker.handed(Set(jobs.map(\.asset)).sorted(), to: app, in: library)
    for job in jobs where !shown.contains(job.asset) { job.cancel() }
  }

  private func giveUp(where matches: (RenditionJob) -> Bool = { _ in true }) {
    for job in making.values where matches(job) { job.cancel() }
  }
}
