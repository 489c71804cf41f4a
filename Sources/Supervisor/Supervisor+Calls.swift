import Monitor
import UnixSocket

extension Supervisor {
  /// The running child or a new one, as the circuit breaker allows. Only for the call whose turn it
  /// is.
  func runningChild(until end: MonotonicTime) throws(SupervisorError) -> ChildProcess {
    let (running, since) = state.withLock { ($0.child, $0.mounts) }
    let mounts = MountTable.shared.mark(options, known: since)
    if let child = running {
      if let ended = child.exitStatus {
        forget(child, failure: ended == .exited(0) ? nil : "\(ended) while idle")
      } else if since.value == mounts.value {
        state.withLock { $0.mounts = mounts }
        return child
      } else {
        state.change { Self.release(&$0) }?.dismiss()
      }
    }
    try awaitPermission(until: end)
    let child: ChildProcess
    do throws(SupervisorError) {
      child = try ChildProcess.start(options)
    } catch {
      state.withLock { $0.breaker.recordFailure("could not be started", now: .now) }
      throw error
    }
    let isStopped = state.change { state in
      if !state.isStopped { (state.child, state.mounts) = (child, mounts) }
      return state.isStopped
    }
    guard !isStopped else {
      child.dismiss()
      throw .stopped
    }
    if let greeting { try call(child, until: end, greeting) }
    return child
  }

  /// Waits out the pause after a failure, if the deadline allows.
  private func awaitPermission(until end: MonotonicTime) throws(SupervisorError) {
    while true {
      let (decision, reason) = state.withLock { ($0.breaker.decide(now: .now), $0.breaker.reason) }
      switch decision {
      case .go: return
      case .refuse(let moment): throw .unavailable(after: reason, retryAfter: moment.remaining)
      case .wait(let moment):
        guard moment < end else { throw .unavailable(after: reason, retryAfter: moment.remaining) }
        if state.wait(until: moment, for: { $0.isStopped ? true : nil }) != nil { throw .stopped }
      }
    }
  }

  /// Runs the body under the deadline; after a failure the child is killed.
  func call<R>(
    _ child: ChildProcess, until end: MonotonicTime, _ body: (BlockingConnection) throws -> R
  ) throws(SupervisorError) -> R {
    child.killAt(end)
    do {
      let result = try body(child.connection)
      child.killAt(.never)
      return result
    } catch {
      throw fail(child, until: end, error)
    }
  }

  private func fail(_ child: ChildProcess, until end: MonotonicTime, _ error: any Error) -> SupervisorError {
    if error is CallAbandoned {
      options.journal?.childNoted("is ended: its call was cancelled", child.pid)
      child.kill()
      _ = child.waitForExit(until: .after(.seconds(2)))
      forget(child, failure: nil)
      return state.withLock({ $0.isStopped }) ? .stopped : .abandoned
    }
    // A dying child closes its socket a moment before its end is visible. A living one is not
    // waited for.
    var ended = child.connection.isHungUp ? child.waitForExit(until: min(end, .after(.seconds(1)))) : child.exitStatus
    let isLate = child.missedDeadline || end.hasPassed
    if ended == nil {
      if !isLate, !state.withLock({ $0.isStopped }) {
        options.journal?.childNoted("is ended for an invalid answer: \(error)", child.pid)
      }
      child.kill()
      _ = child.waitForExit(until: .after(.seconds(2)))
    }
    if isLate { ended = nil }
    let failure: SupervisorError =
      if state.withLock({ $0.isStopped }) {
        .stopped
      } else if isLate {
        .deadlineExceeded
      } else if let ended {
        .childExited(ended, error)
      } else {
        .protocolViolation(error)
      }
    let reason = isLate ? "did not answer in time" : ended.map { "\($0)" } ?? "sent an invalid answer"
    forget(child, failure: reason)
    return failure
  }

  /// Waits for the end of a child that announced it in this call. Otherwise the next call would meet
  /// a closed socket, and its file would be blamed.
  package func awaitAnnouncedEnd() {
    _ = state.withLock { $0.child }?.waitForExit(until: .after(.seconds(1)))
  }

  private func forget(_ child: ChildProcess, failure: String?) {
    let lines = child.errorLines
    let isLeftAlone = state.change { state in
      state.child = nil
      state.lastErrorLines = lines
      guard let failure else { return false }
      state.breaker.recordFailure(failure, now: .now)
      return state.breaker.isOpen
    }
    if isLeftAlone { options.journal?.childNoted("failed too often; the next start is delayed", 0) }
  }
}
