import Broker
import CLinux
import Glibc

/// The store's thread. It takes rounds of work out of the mailbox until that is closed.
final class StoreThread {
  private let writer: Writer
  private let mailbox: Mailbox
  private let runOnBroker: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// When waiting ledger entries must be written, in nanoseconds on the monotonic clock.
  private var ledgerDeadline: Int64?
  /// When the epoch floor must be synced.
  private var floorDeadline: Int64?
  /// When a checkpoint runs, unless something is written before.
  private var checkpointDeadline: Int64?
  private var hasLongLog = false

  private init(
    _ writer: Writer, _ mailbox: Mailbox, _ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.writer = writer
    self.mailbox = mailbox
    runOnBroker = run
  }

  /// Moves the writer to a thread of its own.
  /// - Returns: the thread, to be joined.
  static func start(
    _ writer: Writer, _ mailbox: Mailbox, runOnBroker: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) throws(StoreError) -> pthread_t {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(StoreThread(writer, mailbox, runOnBroker))
    // The daemon's main thread handles signals.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<StoreThread>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, argument.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      argument.release()
      throw .system("Starting the store's thread", code)
    }
    return thread
  }

  private func run() {
    clinux_set_thread_name("store")
    // A commit takes a millisecond of processor time. The broker's thread must not wait for it, nor
    // share a processor with it: during indexing, one call in a hundred waited half a millisecond.
    _ = clinux_take_long_turns()
    clinux_leave_a_processor()
    while true {
      let round = mailbox.take(until: deadline())
      if round.commits.isEmpty { writeLedgerIfDue() } else { write(round.commits) }
      if let read = round.read, read(writer) { mailbox.putBack(read, of: round.library) }
      checkpointIfDue(isIdle: round.commits.isEmpty)
      if floorDeadline.map({ $0 <= Self.now() }) ?? false {
        writer.floor.syncAside()
        floorDeadline = nil
      }
      if writer.hasErasures, round.commits.isEmpty, round.read == nil { eraseMore() }
      if round.isClosing { return writer.finish() }
    }
  }

  /// Runs a checkpoint in idle time if possible: it waits for the disk several times, and would
  /// delay a revocation.
  private func checkpointIfDue(isIdle: Bool) {
    let isDue = isIdle && checkpointDeadline.map { $0 <= Self.now() } ?? false
    writer.database.checkpointIfNeeded(
      from: isDue ? writer.database.options.idleCheckpointFrames : writer.database.options.checkpointFrames,
      keepsFile: true)
    if isDue, !hasLongLog {
      hasLongLog = true
      if writer.reserve.isWhole { writer.database.lengthenLog() }
    }
    if isDue || !isIdle { checkpointDeadline = nil }
  }

  private func eraseMore() {
    writer.eraseMore()
    // The log still holds the erased content.
    guard !writer.hasErasures else { return }
    writer.database.checkpointIfNeeded(from: 1)
    hasLongLog = false
  }

  private func write(_ commits: [PendingCommit]) {
    let failures = writer.write(commits)
    // One action for each completion: a large commit's completion takes a while, and other calls
    // are served between two of them.
    for (commit, failure) in zip(commits, failures) {
      let completion = commit.completion
      runOnBroker { completion(failure) }
    }
  }

  private func writeLedgerIfDue() {
    let queue = writer.ledger.queue
    let isDue = ledgerDeadline.map { $0 <= Self.now() } ?? false
    guard isDue || (queue.isUrgent && !queue.isRefusing) else { return }
    writer.writeLedgerPiece()
    // The rest follows as soon as no commit waits.
    ledgerDeadline = queue.isEmpty || queue.isRefusing ? nil : 0
  }

  /// The end of the next wait; nil if nothing is due.
  private func deadline() -> Int64? {
    if writer.hasErasures { return 0 }
    let queue = writer.ledger.queue
    let hasLedger = queue.isRefusing || !queue.isEmpty
    ledgerDeadline =
      hasLedger ? ledgerDeadline ?? Self.now() + writer.database.options.ledgerDelayMilliseconds * 1_000_000 : nil
    floorDeadline = writer.floor.isSynced ? nil : floorDeadline ?? Self.now() + 1_000_000_000
    let isLong = writer.database.durableFrames >= writer.database.options.idleCheckpointFrames
    checkpointDeadline = isLong || !hasLongLog ? checkpointDeadline ?? Self.now() + 100_000_000 : nil
    return [ledgerDeadline, floorDeadline, checkpointDeadline].compactMap { $0 }.min()
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
