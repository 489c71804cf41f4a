import CLinux
import Glibc
import Monitor
import Synchronization
package import UnixSocket

/// Copies an app's file for a new photo into a sealed copy, and never reads the original again.
///
/// Accepts a regular file, a memory file or a pipe. All of it is under the app's control, so
/// nothing is trusted. It may grow, shrink or never end. It may lie on a FUSE file system whose
/// server never answers, even to fstat. So each file has a thread that can be abandoned, and a
/// library has a limited number of them.
package final class IncomingFiles: Sendable {
  private let limitBytes: Int
  private let timeLimit: Duration
  private let pendingLimit: Int
  private let idleLimit: Duration
  private let pending = Atomic<Int>(0)

  /// - Parameters:
  ///   - limitBytes: The largest file accepted.
  ///   - timeLimit: The timeout for one file.
  ///   - pendingLimit: The greatest number of files arriving, abandoned ones included.
  ///   - idleLimit: The timeout of a silent pipe, which occupies a thread.
  package init(limitBytes: Int, timeLimit: Duration, pendingLimit: Int = 8, idleLimit: Duration = .seconds(4)) {
    self.limitBytes = limitBytes
    self.timeLimit = timeLimit
    self.pendingLimit = pendingLimit
    self.idleLimit = idleLimit
  }

  /// The memory requested at a time for a pipe: most photos fit into the first piece.
  private static let roomBytes = 64 << 20

  /// The limits of one file while it arrives.
  private struct Terms: Sendable {
    let limitBytes: Int
    let deadline: MonotonicTime
    /// The deadline for memory to become free.
    let roomDeadline: MonotonicTime
    let idleLimit: Duration
    let hasher: (@Sendable (UnsafeRawBufferPointer) throws(DeliveryError) -> [UInt8])?
    let account: AllowanceOfUser?

    func checkTime() throws(DeliveryError) { if deadline.hasPassed { throw .timedOut } }
    func checkRoom() throws(DeliveryError) { if roomDeadline.hasPassed { throw .noMemory } }
  }

  /// The number of reading threads, abandoned ones included.
  package var pendingCount: Int { pending.load(ordering: .relaxed) }

  /// Copies the whole file. Blocks for at most the time limit: call it on a worker.
  ///
  /// - Parameters:
  ///   - lowerLimitBytes: A lower limit for this file.
  ///   - account: The user's quota of memory, charged from before the first byte until the copy is
  ///     gone.
  ///   - start: Starts the reading thread; false if there can be no more.
  ///   - closing: Closes the descriptor at the end, on that thread, or on this one if none started.
  /// - Throws: `directoryRefused`, `socketRefused`, `deviceRefused`, `unknownKindRefused`,
  ///   `notReadable`, `empty`, `tooLarge`, `changedWhileReading`, `timedOut`, `tooManyPending`,
  ///   `noMemory`, `noSpace`, `system`.
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
    let flags = try DeliveryError.check(clinux_open_flags(source.number), "Reading a descriptor's mode")
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

  /// Reads a pipe to its end. The app shares its O_NONBLOCK flag and may change it at any moment.
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
      try writer.append(piece[..<count])
    }
  }
}
