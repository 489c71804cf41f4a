import EventLoop
import Glibc
import Testing

/// Returns the calling thread's time slice in nanoseconds, or nil if the kernel does not tell.
private func turn() -> Int? {
  guard let file = fopen("/proc/thread-self/sched", "r") else { return nil }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, Int32(line.count), file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let words = text.split { $0 == " " || $0 == ":" || $0 == "\n" }
    if words.first == "se.slice", let value = words.last { return Int(value) }
  }
  return nil
}

/// Returns the calling thread's scheduling policy without the reset-on-fork flag.
private func policy() -> Int32 { sched_getscheduler(0) & 0xFF }

@Suite(.enabled(if: turn() != nil, "this kernel does not tell how long a thread's turns are"))
struct ThreadTurnsTests {
  @Test func `the loop has the shortest time slices and a worker the longest`() async throws {
    let usual = try #require(turn())
    let loop = try EventLoop(name: "turns")
    try loop.start()
    defer { loop.stop() }
    let worker = try Worker(name: "turns")
    defer { worker.stop() }
    #expect(await withCheckedContinuation { answer in loop.perform { answer.resume(returning: turn()) } } == 100_000)
    let working = try await withCheckedThrowingContinuation { answer in
      do { try worker.run { answer.resume(returning: turn()) } } catch { answer.resume(throwing: error) }
    }
    #expect(try #require(working) > usual)
  }

  @Test func `a background worker preempts nobody on waking, unlike the loop and other workers`()
    async throws
  {
    let loop = try EventLoop(name: "turns")
    try loop.start()
    defer { loop.stop() }
    #expect(
      await withCheckedContinuation { answer in loop.perform { answer.resume(returning: policy()) } } == SCHED_OTHER)
    for (turns, expected) in [(LoopThread.Turns.long, SCHED_OTHER), (.patient, 3)] {
      let worker = try Worker(name: "turns", turns: turns)
      defer { worker.stop() }
      let working = try await withCheckedThrowingContinuation { answer in
        do { try worker.run { answer.resume(returning: policy()) } } catch { answer.resume(throwing: error) }
      }
      #expect(working == expected, "3 is SCHED_BATCH")
    }
  }

  @Test func `the loop's child threads have ordinary time slices`() async throws {
    let usual = try #require(turn())
    let loop = try EventLoop(name: "turns")
    try loop.start()
    defer { loop.stop() }
    let found = await withCheckedContinuation { answer in loop.perform { answer.resume(returning: turnOfNewThread()) } }
    #expect(found == usual)
  }
}

/// Returns the time slice of a new thread of the calling thread.
private func turnOfNewThread() -> Int? {
  let seen = Unmanaged.passRetained(Seen())
  defer { seen.release() }
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { argument in
      argument.map { Unmanaged<Seen>.fromOpaque($0).takeUnretainedValue().turn = turn() }
      return nil
    }, seen.toOpaque())
  guard code == 0 else { return nil }
  pthread_join(thread, nil)
  return seen.takeUnretainedValue().turn
}

private final class Seen {
  var turn: Int?
}
