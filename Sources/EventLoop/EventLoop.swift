import CLinux
import Glibc
package import Monitor
import Synchronization

/// One thread that waits for descriptors, timers, signals and jobs, and runs what is due: the
/// executor of the actors that name it.
///
/// An actor with this as its `unownedExecutor` lives on the loop's thread. Its handlers, registered
/// from inside the actor, run there as the actor's own code, with no hop. From elsewhere, jobs and
/// `perform` wake the loop by an eventfd.
///
/// Each turn runs at most `eventsPerTurn` handlers, once each, then the jobs that were there when
/// the turn began, for a `slice` of time, then the timers that were due, and then what `onTurnsEnd`
/// was given; what these add, and jobs for which there was no time, wait for the next turn. So no
/// source, and no chain of jobs, starves another one, as long as a handler does a bounded piece of
/// work (one receive) and returns: interest is level-triggered, it is called again.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
  // Unchecked: everything mutable is touched by the loop's thread only, which `preconditionOnLoop`
  // enforces at each entry, or by `start` before that thread exists.

  /// The thread's name, as `ps -T` shows it.
  package let name: String
  /// How many ready descriptors one turn serves.
  package static let eventsPerTurn = 64
  /// How long one turn runs jobs, the last one of them aside.
  package static let slice = Duration.milliseconds(1)

  private let epoll: Int32
  private let waker: Int32
  /// Becomes readable when the first timer is due. A timeout of each wait would be set up and taken
  /// down by the kernel for every request, which takes as long as serving a small one.
  private let alarm: Int32
  /// What `alarm` is set to.
  private var alarmTime: MonotonicTime?
  private let inbox = LoopInbox()
  private let lifecycle = LoopLifecycle()
  private let isStopping = Atomic<Bool>(false)
  /// The loop's thread, 0 while there is none.
  private let thread = Atomic<UInt>(0)

  private var sources = SourceTable()
  private var timers = TimerHeap()
  /// Jobs that were taken out of the inbox, and how many of them have run.
  private var running: [LoopInbox.Item] = []
  private var runCount = 0
  private var signals: LoopSignals?
  private var turnsEnd: (() -> Bool)?
  /// Whether `turnsEnd` left something to the next turn.
  private var isUnfinished = false

  /// How many rounds of jobs a stopping loop still runs.
  private static let lastTurns = 1_024
  private static let wakerToken = UInt64.max
  private static let alarmToken = UInt64.max - 1

  /// Makes a loop that does not run yet.
  ///
  /// - Throws: `system` when the process has no descriptor left.
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

  /// Starts the loop's thread, which keeps the loop alive until it has stopped. Once only.
  ///
  /// - Throws: `notRunning` when it ran before, `system`.
  package func start() throws(EventLoopError) {
    guard lifecycle.begin() else { throw .notRunning("A loop that was started before") }
    do throws(EventLoopError) {
      try LoopThread.start(name: name, turns: .short) { self.run() }
    } catch {
      lifecycle.end()
      throw error
    }
  }

  /// Makes the loop end after the turn in progress, from any thread. What was enqueued before still runs; timers and
  /// handlers do not. Work enqueued later is never run.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    _ = clinux_eventfd_signal(waker)
  }

  /// Waits until the loop has stopped. Not from the loop's own thread.
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
    // Continuations that wait for this loop would otherwise never end; ones that enqueue themselves
    // for ever are cut off.
    for _ in 0..<Self.lastTurns where hasJobs { runInbox() }
    dropHandlers()
    thread.store(0, ordering: .relaxed)
    lifecycle.end()
  }

  /// Releases everything registered, outside of the tables: what a handler holds may deregister itself when it goes.
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
    // An interrupted wait is an empty turn. Nothing else can fail here short of a closed epoll descriptor.
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

  /// How long to wait for events: not at all while something is due, else for ever, since the alarm ends the wait.
  private func waitMilliseconds() -> Int32 {
    guard !hasJobs, !isUnfinished else { return 0 }
    guard let first = timers.first, first != alarmTime else { return -1 }
    let now = MonotonicTime.now
    guard now < first else { return 0 }
    guard clinux_timerfd_set(alarm, UInt64(clamping: first.nanoseconds)) >= 0 else {
      // Rounded up: waking a moment early would spin through the rest of the millisecond.
      return Int32(clamping: (first.nanoseconds - now.nanoseconds - 1) / 1_000_000 + 1)
    }
    alarmTime = first
    return -1
  }

  private var hasJobs: Bool { !running.isEmpty || !inbox.isEmpty }

  /// Runs jobs in order; those for which this turn has no time stay for the next one, before all that came later.
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
    // A timer that schedules another one for this moment must not keep the turn going.
    var left = timers.count
    while left > 0, let action = timers.takeDue(at: now) {
      action()
      left -= 1
    }
  }

  /// Runs `action` at the end of each turn, after its handlers, jobs and timers, in place of what
  /// was given before. Where it answers true it has more to do: the next turn looks what is ready
  /// and waits for nothing. On the loop only.
  package func onTurnsEnd(_ action: @escaping () -> Bool) {
    preconditionOnLoop()
    turnsEnd = action
  }

  // MARK: Descriptors

  /// Watches a descriptor; the caller keeps it, and deregisters before closing it. On the loop
  /// only.
  ///
  /// - Parameter handler: runs on the loop each time the descriptor is ready, until deregistered. A
  ///   closure made inside an actor of this loop is that actor's code. It should do one bounded
  ///   piece of work.
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

  /// Changes what a source waits for; with an empty set it is paused (`hungUp` and `failed` are
  /// still told). On the loop only.
  ///
  /// - Throws: `system`; nothing happens when the registration is over.
  package func update(_ source: SourceID, for interest: Interest) throws(EventLoopError) {
    preconditionOnLoop()
    guard let descriptor = sources.descriptor(of: source) else { return }
    let result = clinux_epoll_control(epoll, EPOLL_CTL_MOD, descriptor, interest.rawValue, source.token)
    guard result >= 0 else { throw .system("Watching a descriptor", -result) }
  }

  /// Ends a registration: its handler is not called again, not even for an event of the turn in
  /// progress. Harmless when it is over already. On the loop only.
  package func deregister(_ source: SourceID) {
    preconditionOnLoop()
    guard let removed = sources.remove(source) else { return }
    _ = clinux_epoll_control(epoll, EPOLL_CTL_DEL, removed.descriptor, 0, 0)
  }

  // MARK: Timers

  /// Runs `action` once, on the loop, so long from now, up to a millisecond late. On the loop only.
  @discardableResult
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerID {
    schedule(at: MonotonicTime.now.advanced(by: delay), action)
  }

  /// Runs `action` once, on the loop, at that moment or up to a millisecond later. On the loop only.
  @discardableResult
  package func schedule(at deadline: MonotonicTime, _ action: @escaping () -> Void) -> TimerID {
    preconditionOnLoop()
    return timers.schedule(at: deadline, action)
  }

  /// Takes back a timer; harmless when it has run. On the loop only.
  package func cancel(_ timer: TimerID) {
    preconditionOnLoop()
    _ = timers.cancel(timer)
  }

  // MARK: Signals

  /// Blocks signals in the calling thread, and so in all threads that it starts from now on: the
  /// first thing that `main` does, so that they reach `onSignals` and nobody else.
  ///
  /// - Throws: `system`.
  package static func block(signals: [Int32]) throws(EventLoopError) { try LoopSignals.block(signals) }

  /// Runs `handler` on the loop for each of these signals that arrives, once they are blocked;
  /// replaces the signals and the handler given before. On the loop only.
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

  /// Runs `body` on the loop soon, after what was enqueued before. From any thread.
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
