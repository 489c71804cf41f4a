import Foundation
import Glibc
import Monitor
import Supervisor
import Synchronization
import Testing
import UnixSocket

struct SupervisorTests {
  private func policy(pause: Duration = .milliseconds(10), limit: Int = 100, coolDown: Duration = .seconds(60))
    -> RestartPolicy
  {
    var policy = RestartPolicy()
    policy.spread = 0
    policy.firstPause = pause
    policy.failureLimit = limit
    policy.coolDown = coolDown
    return policy
  }

  private func code(_ body: () throws -> Void) -> SupervisorError.Code? {
    do { try body() } catch { return (error as? SupervisorError)?.code }
    return nil
  }

  @discardableResult
  private func ask(_ supervisor: Supervisor, _ text: String, deadline: Duration = .seconds(8)) throws -> String? {
    try supervisor.withConnection(deadline: deadline) { try Script.ask($0, text) }
  }

  @Test func `one child serves call after call`() throws {
    let supervisor = Supervisor(Script.echo, policy: policy())
    #expect(supervisor.status == .idle)
    let pids = try (0..<3).map { _ in
      try ask(supervisor, "x")
      return supervisor.status
    }
    #expect(Set(pids.map { "\($0)" }).count == 1)
    supervisor.stop()
  }

  @Test(arguments: ["die", "crash"])
  func `a child that dies during a call is reported and restarted`(message: String) throws {
    let supervisor = Supervisor(Script.echo, policy: policy())
    #expect(code { try ask(supervisor, message) } == .childExited)
    let told = [
      "die": "exited with code 7",
      "crash": "was ended by signal 11 (SIGSEGV, or SIGABRT where the program handles none)",
    ]
    #expect(supervisor.status == .failing(reason: told[message] ?? ""))
    #expect(try ask(supervisor, "again") == "again")
    supervisor.stop()
  }

  @Test func `a silent child is killed at the deadline, and the next call gets a new one`() throws {
    let supervisor = Supervisor(Script.echo, policy: policy())
    try ask(supervisor, "x")
    let begin = ContinuousClock.now
    #expect(code { try ask(supervisor, "hang", deadline: .milliseconds(200)) } == .deadlineExceeded)
    let passed = ContinuousClock.now - begin
    #expect(passed >= .milliseconds(200) && passed < .seconds(30))
    #expect(try ask(supervisor, "again") == "again")
    supervisor.stop()
  }

  @Test func `a refused answer kills the child at once`() throws {
    struct Nonsense: Error {}
    let supervisor = Supervisor(Script.echo, policy: policy())
    try ask(supervisor, "x")
    guard case .running(let pid) = supervisor.status else { throw Nonsense() }
    do {
      // A wait for the living child would reach the deadline, and the error would be another one.
      _ = try supervisor.withConnection(deadline: .milliseconds(500)) { _ in throw Nonsense() }
    } catch {
      #expect(error.code == .protocolViolation)
      #expect(error.underlying is Nonsense)
    }
    #expect(!exists(pid))
    supervisor.stop()
  }

  @Test func `an abandoned call ends the child and is no failure`() throws {
    let supervisor = Supervisor(Script.echo, policy: policy(pause: .seconds(60), limit: 1))
    try ask(supervisor, "x")
    guard case .running(let pid) = supervisor.status else { throw EndOfStream() }
    #expect(code { try supervisor.withConnection(deadline: .seconds(8)) { _ in throw CallAbandoned() } } == .abandoned)
    #expect(!exists(pid) && supervisor.status == .idle)
    #expect(try ask(supervisor, "again") == "again", "without any pause")
    supervisor.stop()
  }

  @Test func `too many failures make it unavailable at once, and one attempt after the cool-down restores it`() throws {
    let supervisor = Supervisor(
      Script.echo, policy: policy(pause: .milliseconds(1), limit: 3, coolDown: .seconds(2)))
    for _ in 0..<3 { #expect(code { try ask(supervisor, "die") } == .childExited) }
    #expect(supervisor.status == .unavailable(reason: "exited with code 7"))
    do {
      try ask(supervisor, "x")
      Issue.record("it was called")
    } catch let error as SupervisorError {
      #expect(error.code == .unavailable)
      #expect(error.retryAfter.map { $0 <= .seconds(2) } == true)
    }
    usleep(2_050_000)
    #expect(code { try ask(supervisor, "die") } == .childExited)
    #expect(code { try ask(supervisor, "x") } == .unavailable)
    usleep(2_050_000)
    #expect(try ask(supervisor, "back") == "back")
    supervisor.stop()
  }

  @Test func `a pause longer than the deadline is reported at once`() throws {
    let supervisor = Supervisor(Script.echo, policy: policy(pause: .seconds(9)))
    #expect(code { try ask(supervisor, "die") } == .childExited)
    let begin = ContinuousClock.now
    #expect(code { try ask(supervisor, "x", deadline: .seconds(8)) } == .unavailable)
    #expect(ContinuousClock.now - begin < .seconds(7))
    supervisor.stop()
  }

  @Test func `a program that fails to start counts as a failure`() throws {
    let supervisor = Supervisor(
      ChildOptions(path: "/no/such/program"), policy: policy(pause: .milliseconds(1), limit: 2))
    for _ in 0..<2 { #expect(code { try ask(supervisor, "x") } == .startFailed) }
    #expect(code { try ask(supervisor, "x") } == .unavailable)
  }

  @Test func `a greeting runs once per start, and its failure is the child's`() throws {
    let holder = Supervisor(Script.echo, policy: policy(limit: 3)) { [counter = Counter()] connection in
      _ = try Script.ask(connection, counter.next() == 2 ? "die" : "hello")
    }
    #expect(try ask(holder, "a") == "a")
    #expect(try ask(holder, "b") == "b")
    #expect(code { try ask(holder, "die") } == .childExited)
    #expect(code { try ask(holder, "c") } == .childExited)
    #expect(try ask(holder, "d") == "d")
    holder.stop()
  }

  @Test func `a quiet exit of an idle child is no failure`() throws {
    let supervisor = Supervisor(Script.echo, policy: policy(pause: .seconds(5)))
    try ask(supervisor, "x")
    // The message is sent without waiting for its answer.
    try supervisor.withConnection(deadline: .seconds(1)) { try $0.send("quit".utf8Span.span) }
    let end = ContinuousClock.now + .seconds(2)
    while case .running = supervisor.status, ContinuousClock.now < end { usleep(1000) }
    #expect(try ask(supervisor, "again") == "again")
    supervisor.stop()
  }

  @Test func `callers take turns, and one that waits too long is told`() throws {
    let supervisor = Supervisor(Script.echo, policy: policy())
    try ask(supervisor, "x")
    let hanging = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    Thread {
      _ = try? supervisor.withConnection(deadline: .seconds(1)) { _ in
        hanging.signal()
        usleep(300_000)
      }
      done.signal()
    }.start()
    hanging.wait()
    #expect(code { try ask(supervisor, "y", deadline: .milliseconds(50)) } == .deadlineExceeded)
    done.wait()
    #expect(try ask(supervisor, "z") == "z")
    supervisor.stop()
  }

  @Test func `stop ends a running call and its child, and nothing starts after it`() throws {
    let supervisor = Supervisor(Script.echo, policy: policy())
    try ask(supervisor, "log")
    guard case .running(let pid) = supervisor.status else { throw EndOfStream() }
    let done = DispatchSemaphore(value: 0)
    let seen = Mutex<SupervisorError.Code?>(nil)
    Thread {
      let result = code { try ask(supervisor, "hang") }
      seen.withLock { $0 = result }
      done.signal()
    }.start()
    usleep(100_000)
    supervisor.stop()
    #expect(!exists(pid))
    done.wait()
    #expect(seen.withLock { $0 } == .stopped)
    #expect(code { try ask(supervisor, "x") } == .stopped)
    #expect(supervisor.status == .stopped)
    #expect(supervisor.errorLines == ["a word"])
  }
}

final class Counter: Sendable {
  private let value = Atomic(0)
  func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}
