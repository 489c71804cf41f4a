import Broker
import Catalogue
import Delivery
import EventLoop
import PhotoModel
import UnixSocket

/// The reader of a library's bytes, and whether it still waits.
struct ByteReader {
  /// All owners count as one app, separate from every real one.
  static let owner = AppIdentifier(high: 0, low: 0)

  let app: AppIdentifier
  /// The user who runs the app.
  let user: UInt32
  /// Checked regularly, because a person who scrolls through a library abandons many pictures.
  let isWanted: () -> Bool

  /// The broker itself, on behalf of a library's owner.
  init(user: UInt32, isWanted: @escaping () -> Bool) {
    app = Self.owner
    self.user = user
    self.isWanted = isWanted
  }

  /// - Parameter app: Nil for an owner.
  init(_ call: IncomingCall, _ app: AppIdentifier?) {
    self.app = app ?? Self.owner
    user = call.connection.socket.peer.uid
    isWanted = { !call.isClosed }
  }
}

/// A running copy, piece or picture of an asset. Used on the loop.
final class Making {
  let app: AppIdentifier
  let asset: AssetNumber
  let transfer = Transfer()
  fileprivate var isOver = false
  /// Removes it from its queue.
  fileprivate var leave: (() -> Void)?
  private let didEnd: (Making) -> Void

  fileprivate init(_ app: AppIdentifier, _ asset: AssetNumber, _ didEnd: @escaping (Making) -> Void) {
    self.app = app
    self.asset = asset
    self.didEnd = didEnd
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    leave = nil
    didEnd(self)
  }

  func giveUp() {
    transfer.cancel()
    let leave = leave
    self.leave = nil
    leave?()
  }
}

extension LibraryRuntime {
  /// Size in bytes from which a read is queued fairly and can be cancelled; remote reads always
  /// are.
  private static let longCopyBytes: Int64 = 8 << 20

  /// Registers a job that is cancelled when its reader stops waiting or loses access.
  ///
  /// - Parameters:
  /// - takesLong: Whether it can take long even for small local files.
  /// - progress: Gets the number of bytes that arrived from a remote source.
  /// - didEnd: Runs when it is over.
  func begin(
    _ resource: ResourceRecord, _ asset: AssetNumber, for reader: ByteReader, takesLong: Bool = false,
    progress: ((Int) -> Void)? = nil,
    didEnd: @escaping (Transfer) -> Void = { _ in }
  ) -> Making {
    let job = Making(reader.app, asset) { [self] job in
      making[ObjectIdentifier(job)] = nil
      didEnd(job.transfer)
    }
    making[ObjectIdentifier(job)] = job
    if takesLong || isLong(resource) { watch(job, reader, progress) }
    return job
  }

  /// Runs a long operation in its user's turn, on separate threads, and everything else at once.
  func work<R: Sendable>(
    on resource: ResourceRecord, for reader: ByteReader, _ job: Making, _ body: @escaping @Sendable () -> R,
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
    if let share = core.shares.copying.take(Int(clamping: size), of: user) { return begin(share) }
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
    of user: UInt32, _ app: AppIdentifier, copying size: Int64 = 0, _ job: Making? = nil,
    _ body: @escaping @Sendable () -> R,
    then: @escaping (R) -> Void
  ) {
    let turn = FairTurns.Turn(user: user, app: app) { [self] done in
      withMemory(for: size, of: user, isWanted: { job?.transfer.isWanted ?? true }) { [self] memory in
        // If no thread can start now, the readers do it. A turn that never ended would block one
        // place for ever.
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

  private func watch(_ job: Making, _ reader: ByteReader, _ progress: ((Int) -> Void)?) {
    workers.loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard !job.isOver, job.transfer.isWanted else { return }
      guard reader.isWanted() else { return job.giveUp() }
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
      let seen = core.broker.handed(items.map { AssetNumber($0) }, to: app, in: library)
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
    giveUp { $0.app != ByteReader.owner }
    for app in Set(core.broker.grants(in: library.record.name).map(\.record.key.app)) { dropCopies(of: app) }
  }

  private func giveUpUnseen(of app: AppIdentifier) {
    let jobs = making.values.filter { $0.app == app }
    if jobs.isEmpty { return }
    let shown = core.broker.handed(Set(jobs.map(\.asset)).sorted(), to: app, in: library)
    for job in jobs where !shown.contains(job.asset) { job.giveUp() }
  }

  func giveUp(where matches: (Making) -> Bool = { _ in true }) {
    for job in making.values where matches(job) { job.giveUp() }
  }
}
