import Monitor
package import UnixSocket

/// Keeps one child program available. It starts the child at the first call, kills it when it
/// misbehaves, and restarts it with growing pauses. After repeated failures it refuses calls for a
/// while.
///
/// The caller defines the protocol. Calls block and run one at a time: make them on worker threads,
/// from any of them.
package final class Supervisor: Sendable {
  /// The state shown to owners.
  package enum Status: Sendable, Equatable {
    /// No call yet, or the child ended without a failure.
    case idle
    case running(pid: Int32)
    /// It has failed; the next start waits for a pause.
    case failing(reason: String)
    /// It has failed too often; calls are refused until the cool-down is over.
    case unavailable(reason: String)
    case stopped
  }

  /// A handshake after each start, before the first call and within its deadline. An error counts
  /// as the child's failure.
  package typealias Greeting = @Sendable (BlockingConnection) throws -> Void

  struct State {
    var child: ChildProcess?
    /// The mounts at its start, or later equivalent ones.
    var mounts = MountTable.Mark()
    var breaker: CircuitBreaker
    var isBusy = false
    var isStopped = false
    var lastErrorLines: [String] = []
  }

  let options: ChildOptions
  let greeting: Greeting?
  let state: Monitor<State>

  package init(_ options: ChildOptions, policy: RestartPolicy = RestartPolicy(), greeting: Greeting? = nil) {
    self.options = options
    self.greeting = greeting
    state = Monitor(State(breaker: CircuitBreaker(policy, spread: .random(in: 0...policy.spread))))
  }

  deinit { state.withLock { $0.child }?.dismiss() }

  package var status: Status {
    state.withLock { state in
      if state.isStopped { return .stopped }
      if let child = state.child, child.exitStatus == nil { return .running(pid: child.pid) }
      if state.breaker.isOpen { return .unavailable(reason: state.breaker.reason) }
      return state.breaker.isFailing ? .failing(reason: state.breaker.reason) : .idle
    }
  }

  /// The last error output of the running child, or of the one before. Hostile input, for owners
  /// only.
  package var errorLines: [String] {
    state.withLock { $0.child?.errorLines ?? $0.lastErrorLines }
  }

  /// Makes one call: waits for its turn, starts the child if none runs, and lends the connection.
  ///
  /// `body` returns the child's regular answers, including its own errors. If it throws, the child
  /// may be out of step and is killed, without blame for `CallAbandoned`. The deadline also kills
  /// the child, which ends all waits of `body`.
  ///
  /// - Parameters:
  ///   - deadline: For waiting, start, handshake and call together.
  ///   - isWanted: Asked at intervals while waiting for the turn, and once at its start; false
  ///     cancels the call. During the call, the body has to ask.
  /// - Throws: `deadlineExceeded`, `childExited`, `protocolViolation`, `startFailed`,
  ///   `unavailable`, `abandoned`, `stopped`.
  package func withConnection<R>(
    deadline: Duration, isWanted: () -> Bool = { true }, _ body: (BlockingConnection) throws -> R
  ) throws(SupervisorError) -> R {
    let end = MonotonicTime.after(deadline)
    try takeTurn(until: end, isWanted)
    defer { state.change { $0.isBusy = false } }
    // The call may have been cancelled during the wait.
    guard isWanted() else { throw .abandoned }
    let child = try runningChild(until: end)
    let result = try call(child, until: end, body)
    state.withLock { $0.breaker.recordSuccess() }
    return result
  }

  /// Kills the child and refuses later calls. Returns after the child was reaped. May be repeated.
  package func stop() {
    let child = retire()
    // Only a process stuck in the kernel, on a dead disk, survives the kill for longer.
    _ = child?.waitForExit(until: .after(.seconds(2)))
  }

  /// Kills the child and refuses later calls, without waiting for its end.
  @discardableResult
  package func retire() -> ChildProcess? {
    let child = state.change { state in
      state.isStopped = true
      return state.child
    }
    child?.dismiss()
    return child
  }

  /// Ends a child that is not in a call, without counting a failure. The next call starts a new
  /// one, whose file rules match the present files.
  package func renew() {
    let child = state.change { state in state.isBusy ? nil : Self.release(&state) }
    child?.dismiss()
  }

  /// Removes and returns the running child, for the caller to dismiss.
  static func release(_ state: inout State) -> ChildProcess? {
    guard let child = state.child else { return nil }
    state.lastErrorLines = child.errorLines
    state.child = nil
    return child
  }

  private func takeTurn(until end: MonotonicTime, _ isWanted: () -> Bool) throws(SupervisorError) {
    while isWanted() {
      let turn = state.wait(until: min(end, .after(.milliseconds(100)))) { state -> Bool? in
        if state.isStopped { return false }
        guard !state.isBusy else { return nil }
        state.isBusy = true
        return true
      }
      guard let turn else {
        if end.hasPassed { throw .busy }
        continue
      }
      guard turn else { throw .stopped }
      return
    }
    throw .abandoned
  }
}
