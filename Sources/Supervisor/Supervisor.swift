import Monitor
package import UnixSocket

/// Keeps one child program available: starts it at the first call, ends it when it misbehaves,
/// starts it again with growing pauses, and leaves it alone for a while when it fails again and
/// again.
///
/// What is spoken with the child is the caller's business. Calls block, one at a time; for worker
/// threads, from any of them.
package final class Supervisor: Sendable {
  /// What an owner is shown.
  package enum Status: Sendable, Equatable {
    /// No call has come yet, or the child ended quietly.
    case idle
    case running(pid: Int32)
    /// It has failed; a pause is kept before the next start.
    case failing(reason: String)
    /// It has failed too often; nothing is tried before the cool-down is over.
    case unavailable(reason: String)
    case stopped
  }

  /// Runs after each start and before the first call, within that call's deadline: a handshake.
  /// What it throws counts as a failure of the child.
  package typealias Greeting = @Sendable (BlockingConnection) throws -> Void

  struct State {
    var child: ChildProcess?
    /// What was mounted when it was started, or later, which is the same to it.
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

  /// The last error output of the running child, or of the one before: hostile input, for the owner's eyes.
  package var errorLines: [String] {
    state.withLock { $0.child?.errorLines ?? $0.lastErrorLines }
  }

  /// One call: waits for its turn, has the child started where none runs, and lends the connection.
  ///
  /// What the child answers in the normal course, its own errors included, is returned; whatever
  /// `body` throws means that the child cannot be trusted to be in step any more: it is killed,
  /// without blame where that is `CallAbandoned`. It is also killed when the deadline passes, which
  /// ends every wait of `body` at the connection.
  /// - Parameters:
  ///   - deadline: For waiting, starting, greeting and calling together.
  ///   - isWanted: Asked now and then while it waits for its turn; false ends that, and nothing is
  ///     called. In a call the body asks.
  /// - Throws: `deadlineExceeded`, `childExited`, `protocolViolation`, `startFailed`,
  ///   `unavailable`, `abandoned`, `stopped`.
  package func withConnection<R>(
    deadline: Duration, isWanted: () -> Bool = { true }, _ body: (BlockingConnection) throws -> R
  ) throws(SupervisorError) -> R {
    let end = MonotonicTime.after(deadline)
    try takeTurn(until: end, isWanted)
    defer { state.change { $0.isBusy = false } }
    let child = try runningChild(until: end)
    let result = try call(child, until: end, body)
    state.withLock { $0.breaker.recordSuccess() }
    return result
  }

  /// Kills the child and refuses every later call. Returns when it is gone and reaped; harmless when repeated.
  package func stop() {
    let child = retire()
    // A kill is certain; only a process stuck in the kernel, on a dead disk, can make this wait end first.
    _ = child?.waitForExit(until: .after(.seconds(2)))
  }

  /// Kills the child and refuses every later call, without waiting for the end.
  @discardableResult
  package func retire() -> ChildProcess? {
    let child = state.change { state in
      state.isStopped = true
      return state.child
    }
    child?.dismiss()
    return child
  }

  /// Ends a child that is not in a call, which is no failure: the next call starts another one,
  /// within whose reach is what is there by then.
  package func renew() {
    let child = state.change { state in state.isBusy ? nil : Self.release(&state) }
    child?.dismiss()
  }

  /// The child, which is to be dismissed, where one runs.
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
