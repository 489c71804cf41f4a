import CLinux
import Glibc
package import Monitor
import Synchronization

/// An event loop on a single thread: it waits for descriptors, timers, signals and jobs, and is the
/// executor of the actors that name it.
///
/// An actor with this as its `unownedExecutor` runs on the loop's thread. Handlers registered
/// inside the actor run there as the actor's own code, without a hop. From other threads, jobs and
/// `perform` wake the loop by an eventfd.
///
/// Each turn runs, in this order:
/// 1. At most `eventsPerTurn` handlers, once each.
/// 2. Queued jobs, for the time of one `slice`.
/// 3. Timers that are due.
/// 4. The action of `onTurnsEnd`.
///
/// Jobs added by jobs, timers added by timers, and jobs beyond the slice run in the next turn. So
/// no source and no chain of jobs starves another, if each handler does one bounded step, such as
/// one receive. Interest is level-triggered: the handler runs again while the descriptor is ready.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
  // Unchecked: only the loop's thread uses mutable state. `preconditionOnLoop` enforces that at
  // each entry; `start` runs before that thread exists.

  /// The thread's name, as `ps -T` shows it.
  package let name: String
  /// The most ready descriptors of one turn.
  package static let eventsPerTurn = 64
  /// The time limit for the jobs of one turn; only the last job may exceed it.
  package static let slice = Duration.milliseconds(1)

  private let epoll: Int32
  private let waker: Int32
  /// Readable when the first timer is due. A timeout for each wait would cost the kernel as much
  /// time per request as a small request itself.
  private let alarm: Int32
  /// The time for which `alarm` is set.
  private var alarmTime: MonotonicTime?
  private let inbox = LoopInbox()
  private let lifecycle = LoopLifecycle()
  private let isStopping = Atomic<Bool>(false)
  /// The loop's thread; 0 if there is none.
  private let thread = Atomic<UInt>(0)

  private var sources = SourceTable()
  private var timers = TimerHeap()
  /// Jobs taken out of the inbox; `runCount` of them have run.
  private var running: [LoopInbox.Item] = []
  private var runCount = 0
  private var signals: LoopSignals?
  private var turnsEnd: (() -> Bool)?
  /// Whether `turnsEnd` has more to do in the next turn.
  private var isUnfinished = false

  /// The most rounds of jobs in a stopping loop.
  private static let lastTurns = 1_024
  private static let wakerToken = UInt64.max
  private static let alarmToken = UInt64.max - 1

  /// Creates a loop without starting it.
  ///
  /// - Throws: `system` if the process has no descriptor left.
  package init(name: String) throws(EventLoopError) {
    self.name = name
    epoll = clinux_epoll_create()
    waker = epoll >= 0 ? clinux_eventfd() : -1
    alarm = waker >= 0 ? clinux_timerfd() : waker
    var result = alarm
    if result >= 0 { result = clinux_epoll_control(epoll, EPOLL_CTL_ADD, waker, EPOLLIN.rawValue, Self.wakerToken) }
    if result >= 0 { result = clinux_epoll_control(epoll, EPOLL_CTL_ADD, alarm, EPOLLIN.rawValue, Self.alarmToken) }
    guard epoll >= 0, result >= 0 else {
      if alarm >= 0 { close(alarm) }
      if waker >= 0 { close(waker) }
      if epoll >= 0 { close(epoll) }
      throw .system("Making an event loop", epoll < 0 ? -epoll : -result)
    }
  }

  deinit {
    close(alarm)
    close(waker)
    close(epoll)
  }

  // MARK: Running

  /// Starts the loop's thread, which keeps the loop alive until it has stopped. Call it once.
  ///
  /// - Throws: `notRunning` after an earlier start; `system`.
  package func start() throws(EventLoopError) {
    guard lifecycle.begin() else { throw .notRunning("A loop that was started before") }
    do throws(EventLoopError) {
      try LoopThread.start(name: name, turns: .short) { self.run() }
    } catch {
      lifecycle.end()
      throw error
    }
  }

  /// Stops the loop after the current turn, from any thread. Jobs enqueued before still run;
  /// timers, handlers and later jobs do not.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    _ = clinux_eventfd_signal(waker)
  }

  /// Waits until the loop has stopped. Never on the loop's own thread.
  package func waitUntilStopped() {
    precondition(!isOnLoop, "the loop cannot wait for itself")
    lifecycle.waitForEnd()
  }

  /// Whether the caller runs on the loop's thread.
  package var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  private func preconditionOnLoop() { precondition(isOnLoop, "only the loop's own thread may do this") }

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { events in
      while !isStopping.load(ordering: .acquiring) { turn(events) }
    }
    // Continuations that wait for this loop must end. The bound stops jobs that enqueue themselves
    // for ever.
    for _ in 0..<Self.lastTurns where hasJobs { runInbox() }
    dropHandlers()
    thread.store(0, ordering: .relaxed)
    lifecycle.end()
  }

  /// Releases all handlers outside the tables, since a handler's deinit may call `deregister`.
  private func dropHandlers() {
    var oldSources = SourceTable()
    var oldTimers = TimerHeap()
    swap(&sources, &oldSources)
    swap(&timers, &oldTimers)
    signals = nil
    turnsEnd = nil
  }

  private func turn(_ events: UnsafeMutableBufferPointer<epoll_event>) {
    let count = clinux_epoll_wait(epoll, events.baseAddress, Int32(Self.eventsPerTurn), waitMilliseconds())
    // An interrupted wait is an empty turn. Other errors are possible only with a closed epoll
    // descriptor.
    precondition(count >= 0 || count == -EINTR, "waiting for events failed")
    for index in 0..<max(Int(count), 0) {
      let source = SourceID(token: clinux_epoll_token(&events[index]))
      if source.token == Self.wakerToken {
        _ = clinux_eventfd_clear(waker)
      } else if source.token == Self.alarmToken {
        _ = clinux_eventfd_clear(alarm)
        alarmTime = nil
      } else if let handler = sources.handler(of: source) {
        handler(Readiness(rawValue: events[index].events))
      }
    }
    runInbox()
    if !timers.isEmpty, alarmTime == nil || alarmTime != timers.first { runTimers() }
    if let turnsEnd { isUnfinished = turnsEnd() }
  }

  /// The timeout for events: 0 if work is due; else none, since the alarm ends the wait.
  private func waitMilliseconds() -> Int32 {
    guard !hasJobs, !isUnfinished else { return 0 }
    guard let first = timers.first, first != alarmTime else { return -1 }
    let now = MonotonicTime.now
    guard now < first else { return 0 }
    guard clinux_timerfd_set(alarm, UInt64(clamping: first.nanoseconds)) >= 0 else {
      // Rounds up: waking too early would spin for the rest of the millisecond.
      return Int32(clamping: (first.nanoseconds - now.nanoseconds - 1) / 1_000_000 + 1)
    }
    alarmTime = first
    return -1
  }

  private var hasJobs: Bool { !running.isEmpty || !inbox.isEmpty }

  /// Runs jobs in order, within the slice. The others run first in the next turn.
  private func runInbox() {
    if running.isEmpty { inbox.take(into: &running) }
    guard let last = running.indices.last else { return }
    let end = runCount < last ? MonotonicTime.now.advanced(by: Self.slice) : nil
    repeat {
      switch running[runCount] {
      case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
      case .closure(let body): body()
      }
      runCount += 1
      if runCount > last {
        running.removeAll(keepingCapacity: true)
        runCount = 0
        return
      }
    } while end.map { MonotonicTime.now < $0 } ?? true
  }

  private func runTimers() {
    let now = MonotonicTime.now
    // A timer that schedules another one for now must not prolong the turn.
    var left = timers.count
    while left > 0, let action = timers.takeDue(at: now) {
      action()
      left -= 1
    }
  }

  /// Sets the action that runs at the end of each turn, in place of an earlier one. If it returns
  /// true, it has more to do: the next turn does not wait for events. On the loop only.
  package func onTurnsEnd(_ action: @escaping () -> Bool) {
    preconditionOnLoop()
    turnsEnd = action
  }

  // MARK: Descriptors

  /// Watches a descriptor. The caller owns it, and must deregister it before closing it. On the
  /// loop only.
  ///
  /// - Parameter handler: runs on the loop whenever the descriptor is ready, until deregistered. A
  ///   closure from inside an actor of this loop is that actor's code. It should do one bounded
  ///   step.
  /// - Throws: `system`.
  package func register(
    _ descriptor: Int32, for interest: Interest,
    handler: @escaping (Readiness) -> Void
  ) throws(EventLoopError) -> SourceID {
    preconditionOnLoop()
    let source = sources.insert(descriptor: descriptor, handler: handler)
    let result = clinux_epoll_control(epoll, EPOLL_CTL_ADD, descriptor, interest.rawValue, source.token)
    guard result >= 0 else {
      _ = sources.remove(source)
      throw .system("Watching a descriptor", -result)
    }
    return source
  }

  /// Changes the interest of a source. An empty set pauses it; `hungUp` and `failed` still arrive.
  /// On the loop only.
  ///
  /// - Throws: `system`. An ended registration is ignored.
  package func update(_ source: SourceID, for interest: Interest) throws(EventLoopError) {
    preconditionOnLoop()
    guard let descriptor = sources.descriptor(of: source) else { return }
    let result = clinux_epoll_control(epoll, EPOLL_CTL_MOD, descriptor, interest.rawValue, source.token)
    guard result >= 0 else { throw .system("Watching a descriptor", -result) }
  }

  /// Ends a registration. Its handler does not run again, even for an event of the current turn. An
  /// ended registration is ignored. On the loop only.
  package func deregister(_ source: SourceID) {
    preconditionOnLoop()
    guard let removed = sources.remove(source) else { return }
    _ = clinux_epoll_control(epoll, EPOLL_CTL_DEL, removed.descriptor, 0, 0)
  }

  // MARK: Timers

  /// Runs `action` once on the loop after `delay`, at most a millisecond late. On the loop only.
  @discardableResult
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerID {
    schedule(at: MonotonicTime.now.advanced(by: delay), action)
  }

  /// Runs `action` once on the loop at `deadline`, at most a millisecond late. On the loop only.
  @discardableResult
  package func schedule(at deadline: MonotonicTime, _ action: @escaping () -> Void) -> TimerID {
    preconditionOnLoop()
    return timers.schedule(at: deadline, action)
  }

  /// Cancels a timer. A timer that has run is ignored. On the loop only.
  package func cancel(_ timer: TimerID) {
    preconditionOnLoop()
    _ = timers.cancel(timer)
  }

  // MARK: Signals

  /// Blocks signals in the calling thread, and in all threads that it starts later. Call it first
  /// in `main`, so that only `onSignals` receives them.
  ///
  /// - Throws: `system`.
  package static func block(signals: [Int32]) throws(EventLoopError) { try LoopSignals.block(signals) }

  /// Runs `handler` on the loop for each of these signals, which must be blocked. Replaces earlier
  /// signals and their handler. On the loop only.
  ///
  /// - Throws: `system`.
  package func onSignals(_ numbers: [Int32], _ handler: @escaping (Int32) -> Void) throws(EventLoopError) {
    preconditionOnLoop()
    if let old = signals { deregister(old.source) }
    signals = nil
    let descriptor = try LoopSignals.open(numbers)
    do throws(EventLoopError) {
      let source = try register(descriptor, for: .read) { _ in
        if let signal = LoopSignals.next(descriptor) { handler(signal) }
      }
      signals = LoopSignals(descriptor: descriptor, source: source)
    } catch {
      close(descriptor)
      throw error
    }
  }

  // MARK: Jobs

  /// Runs `body` on the loop, after all jobs enqueued before. From any thread.
  package func perform(_ body: @escaping @Sendable () -> Void) { add(.closure(body)) }

  package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  private func add(_ item: LoopInbox.Item) {
    if inbox.add(item, isOnLoop: isOnLoop) { _ = clinux_eventfd_signal(waker) }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  package func isSameExclusiveExecutionContext(other: EventLoop) -> Bool { self === other }

  package func checkIsolated() { preconditionOnLoop() }

  package func isIsolatingCurrentContext() -> Bool? { isOnLoop }
}
