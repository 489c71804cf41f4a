import CLinux
import Glibc
import Monitor
import UnixSocket

/// What the thread that watches a child holds: its error output, its deadline, its end.
///
/// The thread kills the child at its deadline, collects its last words, reaps it and wakes whoever
/// talks to it; so nothing that a caller does or forgets leaves a zombie or a call that waits for
/// ever.
final class ChildWatch: Sendable {
  struct State {
    var ended: ChildExit?
    var killAt = MonotonicTime.never
    /// When the thread looks again by itself.
    var sleepsUntil = MonotonicTime.never
    var missedDeadline = false
    /// Whether it was killed for no fault of its own; nil: it was not killed.
    var isDismissed: Bool?
    var output: LineCollector
  }

  let connection: BlockingConnection
  let state: Monitor<State>
  private let pid: Int32
  private let process: FileDescriptor
  private let errors: FileDescriptor
  private let wake: FileDescriptor
  private let journal: (any ChildJournal)?
  private let scratch: ScratchFolder?
  private let shared: SharedMemoryUse?

  init(
    pid: Int32, process: consuming FileDescriptor, errors: consuming FileDescriptor, wake: consuming FileDescriptor,
    connection: BlockingConnection, output: LineCollector, journal: (any ChildJournal)?, scratch: ScratchFolder?,
    shared: SharedMemoryUse?
  ) {
    self.shared = shared
    self.journal = journal
    self.scratch = scratch
    self.pid = pid
    self.process = process
    self.errors = errors
    self.wake = wake
    self.connection = connection
    state = Monitor(State(output: output))
  }

  /// Kills it and its process group; harmless when it has ended.
  /// - Parameter dismisses: It has done nothing wrong, and its journal says so: a process that the
  ///   kernel kills for its memory ends by the same signal.
  func kill(dismisses: Bool = false) {
    state.withLock { state in
      if state.isDismissed == nil { state.isDismissed = dismisses }
      // Until it is reaped, and that happens under this lock, the number cannot be another process's.
      guard state.ended == nil else { return }
      _ = clinux_pidfd_send_signal(process.number, SIGKILL)
      _ = Glibc.kill(-pid, SIGKILL)
    }
  }

  /// Sets when the child will be killed; `never` takes it back.
  func killAt(_ deadline: MonotonicTime) {
    let mustWake = state.withLock { state in
      state.killAt = deadline
      // A later deadline is seen when the thread wakes for the earlier one: calls in a row cost no wake-up.
      return deadline < state.sleepsUntil
    }
    if mustWake { _ = clinux_eventfd_signal(wake.number) }
  }

  /// The thread's work: returns when the child has ended and is reaped.
  func watch() {
    var errorsEnded = false
    var output = OutputPace()
    var look = scratch.map { MonotonicTime.after($0.pause) } ?? .never
    var memoryLook = shared.map { MonotonicTime.after($0.pause) } ?? .never
    while true {
      let deadline = state.withLock { state -> MonotonicTime in
        if state.killAt.hasPassed {
          state.missedDeadline = true
          state.killAt = .never
          _ = clinux_pidfd_send_signal(process.number, SIGKILL)
        }
        // A child that floods its error output waits for us meanwhile: reading it all would take a processor.
        state.sleepsUntil = min(state.killAt, output.pausedUntil ?? .never, look, memoryLook)
        return state.sleepsUntil
      }
      var polls = [
        pollfd(fd: process.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errorsEnded || output.pausedUntil != nil ? -1 : errors.number, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&polls, nfds_t(polls.count), deadline.pollMilliseconds)
      if polls[1].revents != 0 { _ = clinux_eventfd_clear(wake.number) }
      if polls[2].revents != 0 {
        let count = collect()
        errorsEnded = count == 0
        output.note(max(0, count), now: .now)
      }
      output.resume(now: .now)
      if let scratch, look.hasPassed { look = endsIf(scratch.excess()) ? .never : .after(scratch.pause) }
      if let shared, memoryLook.hasPassed {
        memoryLook = endsIf(shared.excess(of: pid)) ? .never : .after(shared.pause)
      }
      if polls[0].revents != 0 { break }
    }
    finish()
  }

  /// Ends it for what it has too much of; false where that is nothing.
  private func endsIf(_ excess: String?) -> Bool {
    guard let excess else { return false }
    journal?.childNoted(excess + ": it is ended.", pid)
    kill()
    return true
  }

  /// Reads one piece of the error output; 0 at its end, negative where nothing is there.
  private func collect() -> Int {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      let count = read(errors.number, buffer.baseAddress, buffer.count)
      guard count > 0 else { return count }
      tell(
        state.withLock { state in
          state.output.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          return state.output.takeFresh()
        })
      return count
    }
  }

  private func tell(_ lines: [String]) {
    guard let journal else { return }
    for line in lines { journal.childWrote(line, pid) }
  }

  private func finish() {
    // A grandchild may still be writing: what the child itself wrote fits into a pipe's 64 KiB.
    var pieces = 0
    while pieces < 16, collect() > 0 { pieces += 1 }
    state.change { state in
      // Grandchildren go first: the group's number is the child's, which is another's once it is reaped.
      _ = Glibc.kill(-pid, SIGKILL)
      var ended = clinux_exit()
      if clinux_wait(process.number, 1, &ended) == 1 {
        state.ended = ended.code == CLD_EXITED ? .exited(ended.status) : .killed(signal: ended.status)
      } else {
        state.ended = .unknown
      }
    }
    let (lines, how) = state.withLock { state in
      let isDismissed = state.ended == .killed(signal: SIGKILL) && (state.isDismissed ?? false) && !state.missedDeadline
      let how = isDismissed ? "was ended, since it is not needed any more" : "\(state.ended ?? .unknown)"
      return (
        state.output.takeFresh(atEnd: true), how + (state.missedDeadline ? ", since it did not answer in time" : "")
      )
    }
    tell(lines)
    journal?.childEnded(how, pid)
    Descendants.didEnd(pid)
    // A grandchild may hold the other end open; whoever waits for an answer must not wait for it.
    connection.shutdown()
    scratch?.remove()
  }
}
