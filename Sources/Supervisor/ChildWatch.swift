import CLinux
import Glibc
import Monitor
import UnixSocket

/// The state of the thread that watches a child.
///
/// The thread kills the child at its deadline, collects its last output, reaps it and ends calls
/// that wait for it. So no caller can leave a zombie or wait forever.
final class ChildWatch: Sendable {
  struct State {
    var ended: ChildExit?
    var killAt = MonotonicTime.never
    /// The thread's next wake-up.
    var sleepsUntil = MonotonicTime.never
    var missedDeadline = false
    /// Whether it was killed without having failed; nil if it was not killed.
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

  /// Kills it and its process group; harmless after its end.
  ///
  /// - Parameter dismisses: The child did not fail, and its journal says so: a child killed by the
  ///   kernel for memory ends by the same signal.
  func kill(dismisses: Bool = false) {
    state.withLock { state in
      if state.isDismissed == nil { state.isDismissed = dismisses }
      // The number stays the child's until it is reaped, which happens under this lock.
      guard state.ended == nil else { return }
      _ = clinux_pidfd_send_signal(process.number, SIGKILL)
      _ = Glibc.kill(-pid, SIGKILL)
    }
  }

  /// Sets the moment of the kill; `never` cancels.
  func killAt(_ deadline: MonotonicTime) {
    let mustWake = state.withLock { state in
      state.killAt = deadline
      // The thread notices a later deadline at the earlier one, so frequent calls cost no wake-ups.
      return deadline < state.sleepsUntil
    }
    if mustWake { _ = clinux_eventfd_signal(wake.number) }
  }

  /// The thread's body: returns when the child is reaped.
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
        // A child that floods its error output has to wait: reading it all would occupy a
        // processor.
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

  /// Kills the child for an excess; false if there is none.
  private func endsIf(_ excess: String?) -> Bool {
    guard let excess else { return false }
    journal?.childNoted(excess + ", and is ended.", pid)
    kill()
    return true
  }

  /// Reads a piece of the error output: 0 at its end, negative if there is none now.
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
    // Descendants may still be writing. The child's own last output fits into the pipe's 64 KiB.
    var pieces = 0
    while pieces < 16, collect() > 0 { pieces += 1 }
    state.change { state in
      // The group first: its number is the child's, which can be reused once reaped.
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
      let how = isDismissed ? "was ended, because it is no longer needed" : "\(state.ended ?? .unknown)"
      return (
        state.output.takeFresh(atEnd: true), how + (state.missedDeadline ? ", because it did not answer in time" : "")
      )
    }
    tell(lines)
    journal?.childEnded(how, pid)
    Descendants.didEnd(pid)
    // A descendant may hold the other end open; callers must not wait for it.
    connection.shutdown()
    scratch?.remove()
  }
}
