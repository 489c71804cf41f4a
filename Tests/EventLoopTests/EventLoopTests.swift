import EventLoop
import Glibc
import Monitor
import Synchronization
import Testing

@Suite struct EventLoopTests {
  /// Runs a body with an actor on a running loop, then stops the loop.
  private func withLoop(_ body: (LoopActor) async throws -> Void) async throws {
    let loop = try EventLoop(name: "test-loop")
    try loop.start()
    let failure: (any Error)?
    do {
      try await body(LoopActor(loop: loop))
      failure = nil
    } catch { failure = error }
    loop.stop()
    loop.waitUntilStopped()
    if let failure { throw failure }
  }

  private func pair() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    return (ends[0], ends[1])
  }

  private func eventually(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<400 {
      if await condition() { return true }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  @Test func `an actor of the loop runs on its thread, and enters itself without a hop`() async throws {
    try await withLoop { actor in
      #expect(await actor.isOnLoop())
      #expect(!actor.loop.isOnLoop)
      await confirmation { entered in
        await withCheckedContinuation { continuation in
          actor.loop.perform {
            actor.assumeIsolated { _ in entered() }
            continuation.resume()
          }
        }
      }
    }
  }

  @Test func `entering the actor from another thread ends the process instead of racing`() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop(name: "test-loop")
      try loop.start()
      let actor = LoopActor(loop: loop)
      actor.enter()
    }
  }

  @Test func `registering from another thread ends the process instead of racing`() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop(name: "test-loop")
      try loop.start()
      _ = try loop.register(0, for: .read) { _ in }
    }
  }

  @Test func `jobs from one thread run in order`() async throws {
    try await withLoop { actor in
      for value in 0..<1_000 { actor.loop.perform { actor.assumeIsolated { $0.note(value) } } }
      #expect(await actor.log == Array(0..<1_000))
    }
  }

  @Test func `jobs from several threads all run`() async throws {
    try await withLoop { actor in
      await withTaskGroup(of: Void.self) { group in
        for value in 0..<8 { group.addTask { for _ in 0..<200 { await actor.note(value) } } }
      }
      #expect(await actor.log.count == 1_600)
    }
  }

  @Test func `a handler is called for each byte until deregistered`() async throws {
    try await withLoop { actor in
      let (ours, theirs) = pair()
      defer {
        close(ours)
        close(theirs)
      }
      try await actor.echo(theirs)
      for value in UInt8(1)...50 {
        var byte = value
        #expect(write(ours, &byte, 1) == 1)
        byte = 0
        #expect(read(ours, &byte, 1) == 1)
        #expect(byte == value)
      }
      await actor.endEcho()
      let before = await actor.readCount
      var byte: UInt8 = 7
      #expect(write(ours, &byte, 1) == 1)
      try await Task.sleep(for: .milliseconds(20))
      #expect(await actor.readCount == before)
      #expect(before == 50)
    }
  }

  @Test func `a source deregistered in a turn gets no event of that turn`() async throws {
    try await withLoop { actor in
      let (one, other) = pair()
      let (third, fourth) = pair()
      defer { for descriptor in [one, other, third, fourth] { close(descriptor) } }
      var byte: UInt8 = 1
      write(one, &byte, 1)
      write(third, &byte, 1)
      try await actor.watchTwo(other, fourth)
      #expect(await eventually { await !actor.log.isEmpty })
      try await Task.sleep(for: .milliseconds(20))
      #expect(await actor.log.count == 1)
    }
  }

  @Test func `remaining work continues in the next turn, which waits for nothing and starves nobody`()
    async throws
  {
    try await withLoop { actor in
      let (ours, theirs) = pair()
      defer {
        close(ours)
        close(theirs)
      }
      try await actor.echo(theirs)
      await actor.workAtTurnsEnds(50)
      // Nothing else wakes the loop meanwhile, so without an own wake-up the remaining work would
      // wait for ever.
      let isDone = Atomic<Bool>(false)
      actor.loop.perform { isDone.store(true, ordering: .relaxed) }
      #expect(await eventually { isDone.load(ordering: .relaxed) })
      var byte: UInt8 = 1
      #expect(write(ours, &byte, 1) == 1)
      #expect(read(ours, &byte, 1) == 1)
      #expect(await eventually { await actor.log.count == 50 })
    }
  }

  @Test func `long jobs leave sources and timers their turn and keep their order`() async throws {
    try await withLoop { actor in
      let (ours, theirs) = pair()
      defer {
        close(ours)
        close(theirs)
      }
      try await actor.echo(theirs)
      let ran = Atomic<Int>(0)
      actor.loop.perform {
        // All others arrive while this one runs, so a single turn has them.
        for value in 0..<100 {
          actor.loop.perform {
            usleep(3_000)
            ran.add(1, ordering: .relaxed)
            actor.assumeIsolated { $0.note(value) }
          }
        }
      }
      var byte: UInt8 = 1
      #expect(write(ours, &byte, 1) == 1)
      #expect(read(ours, &byte, 1) == 1)
      #expect(ran.load(ordering: .relaxed) < 50)
      #expect(await eventually { ran.load(ordering: .relaxed) == 100 })
      #expect(await actor.log == Array(0..<100))
    }
  }

  @Test func `a constantly ready source starves neither jobs, timers nor other sources`() async throws {
    try await withLoop { actor in
      let (flooding, flooded) = pair()
      let (ours, theirs) = pair()
      defer { for descriptor in [flooding, flooded, ours, theirs] { close(descriptor) } }
      var byte: UInt8 = 1
      write(flooding, &byte, 1)
      let echoing = LoopActor(loop: actor.loop)
      try await actor.flood(flooded)
      try await echoing.echo(theirs)
      await actor.schedule([(.milliseconds(5), 5)])
      for _ in 0..<100 {
        write(ours, &byte, 1)
        #expect(read(ours, &byte, 1) == 1)
      }
      #expect(await eventually { await actor.log == [5] })
      #expect(await actor.readCount > 100)
      await actor.endEcho()
    }
  }

  @Test func `timers fire by deadline, equal ones in order, cancelled ones never`() async throws {
    try await withLoop { actor in
      let start = MonotonicTime.now
      let cancelled = await actor.scheduleAndCancel(.milliseconds(1))
      await actor.schedule([(.milliseconds(60), 3), (.milliseconds(20), 1), (.milliseconds(40), 2)])
      let loop = actor.loop
      loop.perform { loop.cancel(cancelled) }
      #expect(await eventually { await actor.log.count == 3 })
      #expect(await actor.log == [1, 2, 3])
      #expect(start.advanced(by: .milliseconds(60)) <= MonotonicTime.now)
    }
  }

  @Test func `a worker's result arrives on the loop`() async throws {
    try await withLoop { actor in
      let worker = try Worker(name: "test-worker")
      for value in 1...100 { try await actor.ask(worker, value: value) }
      #expect(await eventually { await actor.log.count == 100 })
      #expect(await actor.log == Array(1...100))
      worker.stop()
      await #expect(throws: EventLoopError.notRunning("The worker")) { try await actor.ask(worker, value: 1) }
    }
  }

  @Test func `a blocked worker refuses work beyond its limit and stops nothing else`() async throws {
    let gate = Mutex(false)
    let worker = try Worker(name: "stuck", queueLimit: 2)
    try worker.run { while !gate.withLock({ $0 }) { usleep(1_000) } }
    #expect(await eventually { worker.waitingCount == 0 })
    try worker.run {}
    try worker.run {}
    #expect(throws: EventLoopError.queueFull(limit: 2)) { try worker.run {} }
    try await withLoop { actor in #expect(await actor.isOnLoop()) }
    gate.withLock { $0 = true }
  }

  private func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

  @Test func `a worker of low priority lowers no other's`() async throws {
    let seen = Mutex<Int32?>(nil)
    let worker = try Worker(name: "modest", turns: .standingBack(5))
    try worker.run { seen.withLock { $0 = niceness() } }
    #expect(await eventually { seen.withLock { $0 } == 5 })
    #expect(niceness() == 0)
    worker.stop()
  }

  @Test func `blocked signals arrive on the loop`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      try EventLoop.block(signals: [SIGTERM, SIGHUP])
      let loop = try EventLoop(name: "test-loop")
      try loop.start()
      let actor = LoopActor(loop: loop)
      try await actor.watchSignals([SIGTERM, SIGHUP])
      // The signal goes to the loop's own thread, since other threads of the test process do not
      // block it.
      loop.perform { raise(SIGHUP) }
      for _ in 0..<400 where await actor.log.isEmpty { usleep(5_000) }
      loop.perform { raise(SIGTERM) }
      for _ in 0..<400 where await actor.log.count < 2 { usleep(5_000) }
      exit(await actor.log == [Int(SIGHUP), Int(SIGTERM)] ? 42 : 1)
    }
  }

  @Test func `stopping runs earlier jobs, and a stopped loop does not restart`() async throws {
    let loop = try EventLoop(name: "test-loop")
    let ran = Mutex(0)
    for _ in 0..<100 { loop.perform { ran.withLock { $0 += 1 } } }
    loop.stop()
    try loop.start()
    loop.waitUntilStopped()
    #expect(ran.withLock { $0 } == 100)
    #expect(throws: EventLoopError.notRunning("A loop")) { try loop.start() }
  }
}
