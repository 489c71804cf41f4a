import CLinux
import Glibc
import Monitor
import Synchronization
package import UnixSocket

/// Takes what an app hands in when it adds a photo, into a sealed copy of our own; the original is
/// never looked at again.
///
/// A regular file, a memory file or a pipe is taken. Everything about it is the app's to choose, so
/// nothing of it is trusted: it may grow, shrink, end never, or lie on a file system whose server
/// (FUSE) never answers, not even what it is. All of that therefore happens on a thread that can be
/// given up; one library has a bounded number of them.
package final class IncomingFiles: Sendable {
  private let limitBytes: Int
  private let timeLimit: Duration
  private let pendingLimit: Int
  private let idleLimit: Duration
  private let pending = Atomic<Int>(0)

  /// - Parameters:
  ///   - limitBytes: The largest file taken.
  ///   - timeLimit: How long one file may take to arrive.
  ///   - pendingLimit: How many may be arriving, or be given up and still stuck in the kernel, at a time.
  ///   - idleLimit: How long a pipe may bring nothing: whoever waits for it keeps others waiting.
  package init(limitBytes: Int, timeLimit: Duration, pendingLimit: Int = 8, idleLimit: Duration = .seconds(4)) {
    self.limitBytes = limitBytes
    self.timeLimit = timeLimit
    self.pendingLimit = pendingLimit
    self.idleLimit = idleLimit
  }

  /// What room for a pipe's bytes is asked for at a time: most photos fit in the first piece.
  private static let roomBytes = 64 << 20

  /// What holds for one file while it arrives.
  private struct Terms: Sendable {
    let limitBytes: Int
    let deadline: MonotonicTime
    /// Until when there may be no memory for more of it.
    let roomDeadline: MonotonicTime
    let idleLimit: Duration
    let hasher: (@Sendable (UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8])?
    let account: AllowanceOfUser?

    func checkTime() throws(DeliveryError) { if deadline.hasPassed { throw .timedOut } }
    func checkRoom() throws(DeliveryError) { if roomDeadline.hasPassed { throw .noMemory } }
  }

  /// How many threads are reading now, those that were given up included.
  package var pendingCount: Int { pending.load(ordering: .relaxed) }

  /// Copies it whole. Blocks for at most the time limit: call it on a worker.
  ///
  /// - Parameters:
  ///   - lowerLimitBytes: The largest file taken this time, where that is less than otherwise.
  ///   - account: Whose memory it takes, from before its first byte comes until the copy is gone.
  ///   - start: Starts the thread that reads; false where there can be no more.
  ///   - closing: Closes it in the end, on that thread or, where there is none, on this one.
  /// - Throws: `directoryRefused`, `socketRefused`, `deviceRefused`, `unknownKindRefused`, `notReadable`, `empty`,
  ///   `tooLarge`, `changedWhileReading`, `timedOut`, `tooManyPending`, `noMemory`, `noSpace`, `system`.
  package func receive(
    _ descriptor: consuming FileDescriptor, lowerLimitBytes: Int = .max, account: AllowanceOfUser? = nil,
    hasher: (@Sendable (UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8])? = nil,
    start: (@escaping @Sendable () -> Void) -> Bool = { DetachedThread.start($0) },
    closing: @escaping @Sendable (consuming FileDescriptor) -> Void = { (descriptor: consuming FileDescriptor) in
      descriptor.close()
    }
  ) throws(DeliveryError) -> SealedCopy {
    let deadline = MonotonicTime.after(timeLimit)
    let terms = Terms(
      limitBytes: min(limitBytes, lowerLimitBytes), deadline: deadline, roomDeadline: .after(timeLimit / 4 * 3),
      idleLimit: idleLimit,
      hasher: hasher, account: account)
    let number = descriptor.release()
    guard pending.add(1, ordering: .relaxed).newValue <= pendingLimit else {
      pending.subtract(1, ordering: .relaxed)
      closing(FileDescriptor(owning: number))
      throw .tooManyPending
    }
    let outcome = Monitor<Result<SealedCopy, DeliveryError>?>(nil)
    let isStarted = start { [self] in
      let source = FileDescriptor(owning: number)
      let result = Result { () throws(DeliveryError) in try Self.copy(source, terms) }
      closing(source)
      pending.subtract(1, ordering: .relaxed)
      outcome.change { $0 = result }
    }
    guard isStarted else {
      closing(FileDescriptor(owning: number))
      pending.subtract(1, ordering: .relaxed)
      throw .tooManyPending
    }
    guard let result = outcome.wait(until: deadline, for: { $0 }) else { throw .timedOut }
    let copy = try result.get()
    guard copy.byteCount > 0 else { throw .empty }
    return copy
  }

  /// O_PATH, which the headers hide.
  private static let pathOnly: Int32 = 0o10000000

  private static func copy(_ source: borrowing FileDescriptor, _ terms: Terms) throws(DeliveryError) -> SealedCopy {
    let facts = try FileFacts(of: source)
    if !facts.isPipe, let refused = DeliveryError.refusedKind(mode: facts.mode) { throw refused }
    let flags = try DeliveryError.check(clinux_open_flags(source.number), "Asking how a file is open")
    guard flags & O_ACCMODE != O_WRONLY, flags & pathOnly == 0 else { throw .notReadable }
    if facts.byteCount > Int64(terms.limitBytes) { throw .tooLarge }
    if facts.isPipe { return try drain(source, terms) }
    let size = Int(facts.byteCount)
    let memory = try terms.account?.wait(for: size) { () throws(DeliveryError) in try terms.checkRoom() }
    do throws(DeliveryError) {
      return try SealedCopy.copying(
        number: source.number, limitBytes: size, hasher: terms.hasher, memory: memory
      ) { () throws(DeliveryError) in try terms.checkTime() }
    } catch { throw error.code == .tooLarge ? .changedWhileReading : error }
  }

  /// Reads a pipe to its end. Whether it blocks is a flag that the app shares and may change at any moment.
  private static func drain(_ pipe: borrowing FileDescriptor, _ terms: Terms) throws(DeliveryError) -> SealedCopy {
    var room = min(roomBytes, terms.limitBytes)
    let memory = try terms.account?.wait(for: room) { () throws(DeliveryError) in try terms.checkRoom() }
    let writer = try SealedWriter()
    var idle = MonotonicTime.after(terms.idleLimit)
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    var total = 0
    while true {
      guard !terms.deadline.hasPassed, !idle.hasPassed else { throw .timedOut }
      var poll = pollfd(fd: pipe.number, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, min(terms.deadline.pollMilliseconds, idle.pollMilliseconds)) <= 0 { continue }
      var count = clinux_read_no_wait(pipe.number, &piece, piece.count)
      if count == -Int(EOPNOTSUPP) {
        count = read(pipe.number, &piece, piece.count)
        if count < 0 { count = -Int(errno) }
      }
      if count == -Int(EAGAIN) || count == -Int(EINTR) { continue }
      _ = try DeliveryError.check(count, "Reading a pipe")
      guard count > 0 else {
        _ = memory?.resize(to: total)
        return try writer.seal(hasher: terms.hasher, memory: memory)
      }
      total += count
      guard total <= terms.limitBytes else { throw .tooLarge }
      if total > room {
        room = min(room + roomBytes, terms.limitBytes)
        if let memory {
          try terms.account?.wait(for: memory, toHave: room) { () throws(DeliveryError) in try terms.checkRoom() }
        }
      }
      idle = .after(terms.idleLimit)
      var failure: DeliveryError?
      piece.withUnsafeBytes { bytes in
        do throws(DeliveryError) { try writer.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) } catch {
          failure = error
        }
      }
      if let failure { throw failure }
    }
  }
}
