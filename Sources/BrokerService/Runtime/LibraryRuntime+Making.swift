import Broker
import Catalogue
import Delivery
import EventLoop
import PhotoModel
import UnixSocket

/// Who waits for bytes of a library, and until when.
struct ByteReader {
  /// All owners count as one app, apart from every other one.
  static let owner = AppIdentifier(high: 0, low: 0)

  let app: AppIdentifier
  /// Whose programs these are.
  let user: UInt32
  /// Asked now and then: whoever scrolls through a library leaves many pictures behind.
  let isWanted: () -> Bool

  /// The broker itself, on behalf of a library's owner.
  init(user: UInt32, isWanted: @escaping () -> Bool) {
    app = Self.owner
    self.user = user
    self.isWanted = isWanted
  }

  /// - Parameter app: nil: an owner.
  init(_ call: IncomingCall, _ app: AppIdentifier?) {
    self.app = app ?? Self.owner
    user = call.connection.socket.peer.uid
    isWanted = { !call.isClosed }
  }
}

/// Something of an asset's bytes that is being made: a copy, a piece, a picture. On the loop.
final class Making {
  let app: AppIdentifier
  let asset: AssetNumber
  let transfer = Transfer()
  fileprivate var isOver = false
  /// Leaves the queue, where it waits for its turn.
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

  /// Has it end without a result, as soon as may be.
  func giveUp() {
    transfer.cancel()
    let leave = leave
    self.leave = nil
    leave?()
  }
}

extension LibraryRuntime {
  /// From how many bytes on, and from afar always, users have turns, and it is looked whether a caller still waits.
  private static let longCopyBytes: Int64 = 8 << 20

  /// Begins something that is given up when nobody waits for it any more, or who waits may not have it any more.
  ///
  /// - Parameters:
  ///   - takesLong: Whether it can take long where the bytes are near and few, too.
  ///   - progress: Told now and then how many bytes have come from afar.
  ///   - didEnd: Runs when it is over.
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

  /// Runs what takes long in its user's turn, on threads of its own, and everything else at once.
  func work<R: Sendable>(
    on resource: ResourceRecord, for reader: ByteReader, _ job: Making, _ body: @escaping @Sendable () -> R,
    then: @escaping (R) -> Void
  ) {
    guard isLong(resource) else { return work(readers, body, then: then) }
    workInTurn(of: reader.user, reader.app, copying: resource.size, job, body, then: then)
  }

  /// Begins what makes a copy once there is memory for it, or once nobody wants it any more.
  /// - Parameter begin: Is given what it has of the memory.
  func withMemory(
    for size: Int64, of user: UInt32, isWanted: @escaping () -> Bool,
    _ begin: @escaping (SharedAllowance.Share?) -> Void
  ) {
    if let share = core.shares.copying.take(Int(clamping: size), of: user) { return begin(share) }
    guard isWanted() else { return begin(nil) }
    core.loop.schedule(after: .milliseconds(50)) { [self] in withMemory(for: size, of: user, isWanted: isWanted, begin)
    }
  }

  /// - Parameters:
  ///   - user: Whose programs wait for it.
  ///   - size: Bytes of the copy that is made for it.
  ///   - job: What may be given up meanwhile; `body` then ends at once.
  func workInTurn<R: Sendable>(
    of user: UInt32, _ app: AppIdentifier, copying size: Int64 = 0, _ job: Making? = nil,
    _ body: @escaping @Sendable () -> R,
    then: @escaping (R) -> Void
  ) {
    if carriers == nil { carriers = try? Worker(name: "carry", threads: Self.carrierThreads) }
    let turn = FairTurns.Turn(user: user, app: app) { [self] done in
      withMemory(for: size, of: user, isWanted: { job?.transfer.isWanted ?? true }) { [self] memory in
        // Where no thread can be started now, those that there are do it: a turn that never ended
        // would be missing for ever.
        work(carriers ?? readers, body) { result in
          memory?.end()
          done()
          then(result)
        }
      }
    }
    // What is given up is answered now, and not kept until those before it are over.
    job?.leave = { [self, weak turn] in
      if let turn, carrying.drop(turn) { work(readers, body, then: then) }
    }
    carrying.take(turn)
  }

  private func isLong(_ resource: ResourceRecord) -> Bool {
    resource.size > Self.longCopyBytes || files?.source.isFar ?? false
  }

  private func watch(_ job: Making, _ reader: ByteReader, _ progress: ((Int) -> Void)?) {
    core.loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard !job.isOver, job.transfer.isWanted else { return }
      guard reader.isWanted() else { return job.giveUp() }
      progress?(job.transfer.count)
      self?.watch(job, reader, progress)
    }
  }

  /// Drops what is kept for an app of assets that it may be handed no longer, so that no copy
  /// outlives the right to it, and gives up what is being made of them. The others stay: who holds
  /// a token that was narrowed to these must not notice, by a slower reading, that the app lost
  /// something else.
  ///
  /// Call in a turn after that of the narrowing.
  func forgetUnseenCopies(of app: AppIdentifier) {
    giveUpUnseen(of: app)
    let (files, copies) = (files, copies)
    work(readers) {
      let kept = files?.keys { $0.app == app }.map(\.asset.rawValue) ?? []
      return copies.items(of: app.description).union(kept)
    } then: { [self] items in
      let seen = core.broker.handed(items.map { AssetNumber($0) }, to: app, in: library)
      let unseen = items.subtracting(seen.map(\.rawValue))
      guard !unseen.isEmpty else { return }
      work(readers) {
        files?.forget { $0.app == app && unseen.contains($0.asset.rawValue) }
        copies.forget(group: app.description, items: unseen)
      } then: { _ in
      }
    }
  }

  /// Drops all that is kept for an app, and gives up what it may be handed no longer: a right to
  /// add that ends takes nothing from one to read.
  func forgetCopies(of app: AppIdentifier) {
    giveUpUnseen(of: app)
    dropCopies(of: app)
  }

  /// Drops all that is kept for an app, which may have it made again. On a worker: giving back a
  /// full cache takes longer than a revocation may.
  func dropCopies(of app: AppIdentifier) {
    let (files, copies) = (files, copies)
    work(readers) {
      files?.forget { $0.app == app }
      copies.forget(group: app.description)
    } then: { _ in
    }
  }

  /// Drops what is kept for any app, and gives up what is being made for them.
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

  /// Gives up what is being made.
  func giveUp(where matches: (Making) -> Bool = { _ in true }) {
    for job in making.values where matches(job) { job.giveUp() }
  }
}
