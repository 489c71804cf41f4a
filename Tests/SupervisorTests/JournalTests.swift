import Glibc
import Monitor
import Supervisor
import Synchronization
import Testing

/// The journal of a child, and the action before each start.
struct JournalTests {
  private final class Notes: ChildJournal {
    let all = Mutex<[String]>([])
    func add(_ note: String) { all.withLock { $0.append(note) } }
    func childStarted(_ process: Int32) { add("started") }
    func childWrote(_ line: String, _ process: Int32) { add("| \(line)") }
    func childEnded(_ how: String, _ process: Int32) { add(how) }
    func childIsUncounted(_ process: Int32) { add("uncounted") }
    func childIsUnenclosed(_ process: Int32) { add("unenclosed") }
    func childNoted(_ what: String, _ process: Int32) { add(what) }
  }

  private struct Refusal: Error {}

  @Test func `a journal records the start, each line, an unfinished last line, and the end`() throws {
    let notes = Notes()
    var options = ChildOptions(
      path: "/bin/sh", arguments: ["-c", "echo one >&2; echo two >&2; printf three >&2; exit 7"])
    options.journal = notes
    let child = try ChildProcess.start(options)
    #expect(child.waitForExit(until: .after(.seconds(20))) == .exited(7))
    // The journal gets the end a moment after it is visible.
    for _ in 0..<200 where notes.all.withLock({ $0.count }) < 5 { usleep(10_000) }
    #expect(notes.all.withLock { $0 } == ["started", "| one", "| two", "| three", "exited with code 7"])
  }

  @Test func `an unneeded child is distinguished from a killed one`() throws {
    func end(_ body: (ChildProcess) -> Void) throws -> String? {
      let notes = Notes()
      var options = Script.echo
      options.journal = notes
      let child = try ChildProcess.start(options)
      body(child)
      #expect(child.waitForExit(until: .after(.seconds(20))) == .killed(signal: SIGKILL))
      for _ in 0..<200 where notes.all.withLock({ $0.count }) < 2 { usleep(10_000) }
      return notes.all.withLock { $0.last }
    }
    #expect(try end { $0.dismiss() } == "was ended, because it is no longer needed")
    #expect(try end { kill($0.pid, SIGKILL) } == "was ended by signal 9 (SIGKILL)")
    #expect(try end { $0.killAt(.now) } == "was ended by signal 9 (SIGKILL), because it did not answer in time")
  }

  @Test func `each start is prepared anew, and a refused one starts nothing`() throws {
    let notes = Notes()
    var options = Script.echo
    options.journal = notes
    options.prepare = { options in
      notes.add("prepared")
      let number = notes.all.withLock { $0.filter { $0 == "prepared" }.count }
      if number == 2 { throw Refusal() }
      options.environment["START"] = "\(number)"
    }
    var policy = RestartPolicy()
    policy.firstPause = .milliseconds(1)
    let supervisor = Supervisor(options, policy: policy)
    defer { supervisor.stop() }
    #expect(try supervisor.withConnection(deadline: .seconds(20)) { try Script.ask($0, "x") } == "x")
    #expect(throws: SupervisorError.self) {
      try supervisor.withConnection(deadline: .seconds(20)) { try Script.ask($0, "die") }
    }
    #expect {
      try supervisor.withConnection(deadline: .seconds(20)) { try Script.ask($0, "x") }
    } throws: { error in
      (error as? SupervisorError)?.code == .startFailed && (error as? SupervisorError)?.underlying is Refusal
    }
    #expect(try supervisor.withConnection(deadline: .seconds(20)) { try Script.ask($0, "x") } == "x")
    #expect(notes.all.withLock { $0.filter { $0 == "started" }.count } == 2)
  }
}
