import CLinux
import Glibc
import Monitor
import PluginKit
import Synchronization

/// One object of a trusted plugin in the daemon, on a thread of its own: the counterpart of
/// ``IsolatedPlugin``.
///
/// A thread cannot be ended. A call that exceeds its timeout fails for its caller and fences the
/// object: later calls fail at once, and the operator is told. When the late call returns, the
/// object is discarded, and the next call makes a new one. A crash takes the daemon down.
final class TrustedPlugin: Sendable {
  typealias Maker = @Sendable () throws(PluginError) -> AnyObject

  private struct State {
    var thread: PluginThread?
    var isBusy = false
    var isStopped = false
  }

  let name: String
  private let prefix: String
  private let settings: PluginSettings
  private let object: TrustedObject
  private let make: Maker
  private let state = Monitor(State())

  init(_ kind: PluginProtocol, name: String, settings: PluginSettings, of object: TrustedObject, make: @escaping Maker)
  {
    self.name = name
    self.settings = settings
    self.object = object
    prefix = "\(kind.rawValue)(\(name)): "
    self.make = make
  }

  deinit { state.withLock { $0.thread }?.end() }

  /// Runs a call of the object on its thread.
  /// - Parameters:
  ///   - descriptor: the call gets a copy, since a late call must not meet another file under the
  ///     same number.
  ///   - isTransfer: whether the descriptor is a pipe into which the plugin writes. The call is
  ///     late if it does not return soon after the reader closes the pipe.
  /// - Throws: the plugin's error, or `offline` if the call is late, prefixed with the plugin's
  ///   name.
  func call<R: Sendable>(
    deadline: Duration, descriptor: Int32? = nil, isTransfer: Bool = false,
    _ body: @escaping @Sendable (AnyObject, Int32) throws(PluginError) -> R
  ) throws(PluginFailure) -> R {
    let end = MonotonicTime.after(deadline)
    let turn = state.wait(until: end) { state -> Bool? in
      if state.isStopped { return false }
      guard !state.isBusy else { return nil }
      state.isBusy = true
      return true
    }
    guard let turn else { throw named(PluginFailure(.offline, "It was busy with other calls until the deadline.")) }
    guard turn else { throw named(PluginFailure(.offline, "It was stopped.")) }
    defer { state.change { $0.isBusy = false } }
    let thread = try runningThread()
    let copy = descriptor.map { clinux_duplicate($0, 3) } ?? -1
    guard descriptor == nil || copy >= 0 else {
      throw named(PluginFailure(.failed, "No descriptor is left. Raise the limit of open files."))
    }
    let outcome = Outcome<R>()
    let make = make
    let pipe = isTransfer ? descriptor : nil
    let isDone = thread.run(until: end, isWanted: { pipe.map { IsolatedPlugin.isRead($0) } ?? true }) { object in
      defer { if copy >= 0 { close(copy) } }
      let result = Result { () throws(PluginError) in
        let made = if let object { object } else { try make() }
        object = made
        return try body(made, copy)
      }
      outcome.value.withLock { $0 = result.mapError { PluginFailure($0) } }
    }
    guard isDone, let result = outcome.value.withLock({ $0 }) else {
      throw named(Self.fenced(by: "It did not answer in time."))
    }
    do { return try result.get() } catch { throw named(error) }
  }

  private final class Outcome<R: Sendable>: Sendable {
    let value = Mutex<Result<R, PluginFailure>?>(nil)
  }

  /// Returns the idle thread, or a new one. Only the holder of the turn may call it.
  private func runningThread() throws(PluginFailure) -> PluginThread {
    if let known = state.withLock({ $0.thread }) {
      switch known.condition {
      case .ready: return known
      case .late: throw named(Self.fenced(by: "An earlier call has not returned."))
      case .cameBack: known.end()
      }
    }
    guard object.mayStart else { throw named(Self.fenced(by: "Too many of its calls have not returned.")) }
    let (object, name) = (object, prefix + "In the daemon")
    guard let thread = PluginThread(didChange: { $0 ? object.isLate(name) : object.cameBack(name) }) else {
      throw named(PluginFailure(.offline, "The daemon cannot start another thread. Raise its limit of threads."))
    }
    let isStopped = state.change { state in
      state.thread = thread
      return state.isStopped
    }
    if isStopped { thread.end() }
    return thread
  }

  private static func fenced(by what: String) -> PluginFailure {
    PluginFailure(.offline, "\(what) \(TrustedObject.advice)")
  }

  private func named(_ failure: PluginFailure) -> PluginFailure {
    PluginFailure(failure.code, prefix + IsolatedPlugin.plain(settings.redacted(failure.message)))
  }

  /// A late call makes the object refuse all later ones.
  var health: PluginHealth {
    state.withLock { $0.isStopped || $0.thread?.condition == .late } ? .refusing : .well
  }

  /// Refuses later calls. The object goes away when the running call returns.
  func stop() {
    let thread = state.change { state in
      state.isStopped = true
      return state.thread
    }
    thread?.end()
  }
}

/// The thread of one object. Calls run in order, and the object is made and released on it.
private final class PluginThread: Sendable {
  enum Condition { case ready, late, cameBack }

  private struct State {
    var job: (@Sendable (inout AnyObject?) -> Void)?
    var isRunning = false
    /// Whether the running or last call exceeded its timeout.
    var isLate = false
    var isEnded = false
  }

  private let state = Monitor(State())

  /// Time for a call to notice that its pipe was closed.
  private static let noticeTime = Duration.seconds(2)
  private static let lookInterval = Duration.milliseconds(200)

  /// Called when a call becomes late, and when it returns after all.
  private let didChange: @Sendable (_ isLate: Bool) -> Void

  /// Fails if the system cannot start a thread.
  init?(didChange: @escaping @Sendable (_ isLate: Bool) -> Void) {
    self.didChange = didChange
    let state = state
    guard DetachedThread.start(stackBytes: TrustedObject.stackBytes, { Self.serve(state, didChange) }) else {
      return nil
    }
  }

  private static func serve(_ state: Monitor<State>, _ didChange: @Sendable (_ isLate: Bool) -> Void) {
    // Writing to a closed pipe must be an error, not a signal that ends the daemon.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var object: AnyObject?
    while true {
      let job = state.wait(until: .never) { state -> (@Sendable (inout AnyObject?) -> Void)?? in
        if let job = state.job {
          state.job = nil
          return job
        }
        return state.isEnded ? .some(nil) : nil
      }
      guard let job, let job else { return }
      job(&object)
      let wasLate = state.change { state in
        state.isRunning = false
        return state.isLate
      }
      if wasLate { didChange(false) }
    }
  }

  /// - Parameter isWanted: called several times a second; false shortens the deadline.
  /// - Returns: false if the deadline passed; the job then still runs.
  func run(
    until deadline: MonotonicTime, isWanted: () -> Bool, _ job: @escaping @Sendable (inout AnyObject?) -> Void
  ) -> Bool {
    state.change { state in
      state.job = job
      state.isRunning = true
    }
    var end = deadline
    var wasWanted = true
    repeat {
      if state.wait(until: min(end, .after(Self.lookInterval)), for: { $0.isRunning ? nil : true }) != nil {
        return true
      }
      if wasWanted, !isWanted() {
        wasWanted = false
        end = min(end, .after(Self.noticeTime))
      }
    } while !end.hasPassed
    let isLate = state.withLock { state in
      state.isLate = state.isRunning
      return state.isLate
    }
    if isLate { didChange(true) }
    return !isLate
  }

  var condition: Condition {
    state.withLock { $0.isLate ? ($0.isRunning ? .late : .cameBack) : .ready }
  }

  /// Ends the thread after the running call.
  func end() { state.change { $0.isEnded = true } }
}
