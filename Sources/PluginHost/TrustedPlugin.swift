import CLinux
import Glibc
import Monitor
import PluginKit
import Synchronization

/// One object of a trusted plugin, inside of the daemon, on a thread of its own: as
/// ``IsolatedPlugin`` is with a process.
///
/// Nothing can end a thread. A call that does not come back by its deadline is an error for who
/// waited, and fences the object: every call after it fails at once, and the operator is told.
/// Where the late one comes back after all, the object is thrown away and the next call makes a new
/// one. What crashes takes the daemon down.
final class TrustedPlugin: Sendable {
  /// Makes the object, on its thread.
  typealias Maker = @Sendable () -> Result<AnyObject, PluginFailure>

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
  ///   - descriptor: Lent to the call: a copy of it, since a late call must not meet another file
  ///     under its number.
  ///   - isTransfer: Whether the descriptor is a pipe that the plugin writes into. A call that has
  ///     not come back soon after nobody reads from it any more is late.
  /// - Throws: what the plugin threw, and `offline` where it has not come back, prefixed with its
  ///   name.
  func call<R: Sendable>(
    deadline: Duration, descriptor: Int32? = nil, isTransfer: Bool = false,
    _ body: @escaping @Sendable (AnyObject, Int32) -> Result<R, PluginFailure>
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
    guard descriptor == nil || copy >= 0 else { throw named(PluginFailure(.failed, "No descriptor is left.")) }
    let outcome = Outcome<R>()
    let make = make
    let pipe = isTransfer ? descriptor : nil
    let isDone = thread.run(until: end, isWanted: { pipe.map { IsolatedPlugin.isRead($0) } ?? true }) { object in
      defer { if copy >= 0 { close(copy) } }
      do throws(PluginFailure) {
        let made = if let object { object } else { try make().get() }
        object = made
        let result = body(made, copy)
        outcome.value.withLock { $0 = result }
      } catch {
        outcome.value.withLock { $0 = .failure(error) }
      }
    }
    guard isDone, let result = outcome.value.withLock({ $0 }) else {
      throw named(Self.fenced(by: "It did not answer in time."))
    }
    do { return try result.get() } catch { throw named(error) }
  }

  /// What a call answered.
  private final class Outcome<R: Sendable>: Sendable {
    let value = Mutex<Result<R, PluginFailure>?>(nil)
  }

  /// The thread that waits for a call, or a new one. Only whoever has the turn comes here.
  private func runningThread() throws(PluginFailure) -> PluginThread {
    if let known = state.withLock({ $0.thread }) {
      switch known.condition {
      case .ready: return known
      case .late: throw named(Self.fenced(by: "It has not come back from an earlier call."))
      case .cameBack: known.end()
      }
    }
    guard object.mayStart else { throw named(Self.fenced(by: "Too many of its calls have not come back.")) }
    let (object, name) = (object, prefix + "In the daemon")
    guard let thread = PluginThread(didChange: { $0 ? object.isLate(name) : object.cameBack(name) }) else {
      throw named(PluginFailure(.offline, "The daemon has no room for another thread."))
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

  /// A call that has not come back has all later ones refused.
  var health: PluginHealth {
    state.withLock { $0.isStopped || $0.thread?.condition == .late } ? .refusing : .well
  }

  /// Refuses every later call; the object goes when the call that runs has come back.
  func stop() {
    let thread = state.change { state in
      state.isStopped = true
      return state.thread
    }
    thread?.end()
  }
}

/// The thread of one object: it runs one call after the other, and the object lives and dies on it.
private final class PluginThread: Sendable {
  enum Condition { case ready, late, cameBack }

  private struct State {
    var job: (@Sendable (inout AnyObject?) -> Void)?
    var isRunning = false
    /// Nobody waits any more for the call that runs, or ran last.
    var isLate = false
    var isEnded = false
  }

  private let state = Monitor(State())

  /// How long a call has to notice that nobody wants what it does any more.
  private static let noticeTime = Duration.seconds(2)
  private static let lookInterval = Duration.milliseconds(200)

  /// Is told that a call is late, and that it has come back after all.
  private let didChange: @Sendable (_ isLate: Bool) -> Void

  /// Nil where the machine has no room for a thread.
  init?(didChange: @escaping @Sendable (_ isLate: Bool) -> Void) {
    self.didChange = didChange
    let state = state
    guard DetachedThread.start(stackBytes: TrustedObject.stackBytes, { Self.serve(state, didChange) }) else {
      return nil
    }
  }

  private static func serve(_ state: Monitor<State>, _ didChange: @Sendable (_ isLate: Bool) -> Void) {
    // A pipe that its reader closed is an error of the write, and no end of the daemon.
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

  /// - Parameter isWanted: Asked several times a second; where it says no it has a moment more.
  /// - Returns: false where the deadline came first; it goes on running then.
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

  /// Ends once the call that runs, if any, has come back.
  func end() { state.change { $0.isEnded = true } }
}
