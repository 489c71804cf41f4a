import CLinux
import Foundation
import Glibc
import Monitor
import Supervisor
import Testing
import UnixSocket

struct ChildProcessTests {
  private func run(_ options: ChildOptions, seconds: Int = 8) throws -> (status: ChildExit?, lines: [String]) {
    let child = try ChildProcess.start(options)
    let status = child.waitForExit(until: .after(.seconds(seconds)))
    return (status, child.errorLines)
  }

  @Test func `exit codes and signals are reported, and the error output is collected`() throws {
    #expect(try run(Script.shell("echo one >&2; printf 'two' >&2; exit 3")) == (.exited(3), ["one", "two"]))
    #expect(try run(Script.shell("kill -9 $$")).status == .killed(signal: 9))
  }

  @Test func `endless and binary error output stays within its bounds`() throws {
    var options = Script.shell(
      "i=0; while [ $i -lt 5000 ]; do echo line $i >&2; i=$((i+1)); done; head -c 100000 /dev/zero >&2")
    options.errorLineLimit = 3
    options.errorLineBytes = 10
    let (status, lines) = try run(options)
    #expect(status == .exited(0))
    #expect(lines == ["line 4998", "line 4999", "??????????"])
  }

  @Test func `the child has exactly its four descriptors, environment and session`() throws {
    let leak = open("/dev/null", O_RDONLY)
    defer { close(leak) }
    let extra = FileDescriptor(owning: clinux_memory_file("extra"))
    var options = Script.python(
      """
      import os, sys
      # The listing itself opens one more.
      found = [n for n in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + n) or int(n) == 5]
      print(sorted(int(n) for n in found), file=sys.stderr)
      print(sorted(k for k in os.environ if k != "LC_CTYPE"), os.getcwd(), os.getsid(0) == os.getpid(), file=sys.stderr)
      print(os.readlink("/proc/self/fd/5"), os.readlink("/proc/self/fd/0"), file=sys.stderr)
      status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
      print(status["NoNewPrivs"], status["SigIgn"], status["SigBlk"], file=sys.stderr)
      """)
    options.passed = [.init(SharedDescriptors(extra), firstNumber: 5)]
    let (status, lines) = try run(options)
    #expect(status == .exited(0))
    #expect(lines.count == 4)
    #expect(lines.first == "[0, 1, 2, 3, 5]")
    #expect(lines.dropFirst().first == "['LANG', 'PATH'] / True")
    #expect(lines.dropFirst(2).first == "/memfd:extra (deleted) /dev/null")
    // Python itself ignores SIGPIPE and SIGXFSZ.
    #expect(lines.last == "1 0000000001001000 0000000000000000")
  }

  @Test func `a background child leaves the last of several processors to others`() throws {
    var options = Script.python("import os, sys; print(*sorted(os.sched_getaffinity(0)), file=sys.stderr)")
    let all = try #require(try run(options).lines.first).split(separator: " ")
    options.niceness = 5
    let left = try #require(try run(options).lines.first).split(separator: " ")
    #expect(left == (all.count > 1 ? all.dropLast() : all))
  }

  @Test func `a child has ordinary priority, whatever its starting thread`() async throws {
    let found = await withCheckedContinuation { answer in
      Thread.detachNewThread {
        _ = clinux_take_patient_turns()
        let child = Script.python("import os, sys; print(os.sched_getscheduler(0), file=sys.stderr)")
        answer.resume(returning: (sched_getscheduler(0) & 0xFF, Result { try run(child).lines }))
      }
    }
    #expect(found.0 == 3, "SCHED_BATCH")
    #expect(try found.1.get() == ["\(SCHED_OTHER)"])
  }

  @Test func `a newly written program is waited for while another holds it open`() throws {
    let path = FileManager.default.temporaryDirectory.path + "/photobroker-busy-\(getpid())"
    try Data("#!/bin/sh\necho begun >&2\n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    defer { unlink(path) }
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", "exec 3>>\"$0\"; echo; sleep 0.2", path]
    let opened = Pipe()
    writer.standardOutput = opened
    try writer.run()
    _ = opened.fileHandleForReading.availableData
    #expect(try run(ChildOptions(path: path)).lines == ["begun"])
    writer.waitUntilExit()
  }

  @Test func `a failed start names the step and leaves neither process nor descriptor`() throws {
    func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let options = ChildOptions(path: "/canary/no-such-program")
    do {
      _ = try ChildProcess.start(options)
      Issue.record("it started")
    } catch {
      #expect(error.code == .startFailed)
      #expect(error.cause == ENOENT)
      #expect(error.message.contains("executing"))
      #expect(!"\(error)".contains("canary"))
    }
    var misplaced = Script.shell("exit 0")
    misplaced.directory = "/no-such-directory"
    do {
      _ = try ChildProcess.start(misplaced)
      Issue.record("it started")
    } catch { #expect(error.message.contains("directory")) }
  }

  @Test func `limits hold for memory, file size and open files`() throws {
    var memory = Script.python("bytearray(400 << 20)")
    memory.dataBytes = 100 << 20
    #expect(try run(memory).lines.last == "MemoryError")
    memory.dataBytes = nil
    memory.addressSpaceBytes = 200 << 20
    #expect(try run(memory).lines.last == "MemoryError")
    var files = Script.python("import os; os.ftruncate(os.memfd_create('x'), 2000)")
    files.fileBytes = 1000
    #expect(try run(files).status != .exited(0))
    var many = Script.shell("ulimit -n >&2; ulimit -c >&2")
    many.openFiles = 40
    #expect(try run(many).lines == ["40", "0"])
  }

  @Test(arguments: [
    "f = os.memfd_create('x'); os.write(f, b'x' * (40 << 20)); hold()",
    "m = mmap.mmap(-1, 40 << 20); m[:] = b'x' * len(m); hold()",
    "os.fork() and hold(); os.setsid(); m = mmap.mmap(-1, 40 << 20); m[:] = b'x' * len(m); hold()",
    "[os.write(os.memfd_create('x'), b'x' * (3 << 20)) for _ in range(12)]; hold()",
  ]) func `a child that holds too much memory uncounted by the kernel is killed`(_ body: String) throws {
    let hold = "import mmap, os, time\ndef hold(): os.write(2, b'held\\n'); time.sleep(600)\n"
    for (limit, isEnded) in [(20 << 20, true), (nil, false)] as [(Int64?, Bool)] {
      var options = Script.python(hold + (isEnded ? body : body.replacing("hold()", with: "os._exit(0)")))
      options.isolatesProcesses = true
      options.sharedBytes = limit
      options.sharedPause = .milliseconds(20)
      #expect(try run(options).status == (isEnded ? .killed(signal: SIGKILL) : .exited(0)))
    }
  }

  @Test func `a child that forks endlessly reaches its limit, and the parent does not`() throws {
    var options = Script.python(
      """
      import os, sys, time
      made = 0
      for _ in range(100):
          try:
              if os.fork() == 0: time.sleep(60)
          except OSError: break
          made += 1
      print(made, file=sys.stderr)
      """)
    options.processes = 8
    options.isolatesNetwork = true
    let child = try ChildProcess.start(options)
    #expect(child.waitForExit(until: .after(.seconds(8))) == .exited(0))
    guard geteuid() != 0 else { return }
    // The limit does not apply to root, nor without a user namespace.
    #expect(child.errorLines == ["7"])
  }

  @Test func `a flood of error output costs the parent little, and the child waits`() throws {
    let child = try ChildProcess.start(Script.python("import os\nwhile True: os.write(2, b'x' * 65536)"))
    #expect(child.waitForExit(until: .after(.seconds(2))) == nil)
    let written = try String(contentsOfFile: "/proc/\(child.pid)/io", encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix("wchar") }.flatMap { Int($0.split(separator: " ")[1]) }
    child.kill()
    // Two seconds with a burst each quarter, and the pipe's content.
    #expect((written ?? .max) < 16 << 20)
  }

  @Test(.enabled(if: geteuid() == 0, "becoming another user needs root"))
  func `another user has neither groups nor a way back`() throws {
    var options = Script.python(
      """
      import os, sys
      print(os.getresuid(), os.getresgid(), os.getgroups(), file=sys.stderr)
      try: os.setuid(0); print("root again", file=sys.stderr)
      except OSError: print("stays", file=sys.stderr)
      """)
    options.user = (65_003, 65_004)
    #expect(try run(options).lines == ["(65003, 65003, 65003) (65004, 65004, 65004) []", "stays"])
  }

  @Test func `a deadline kills the child and wakes the waiting caller`() throws {
    let child = try ChildProcess.start(Script.shell("sleep 100"))
    let begin = ContinuousClock.now
    child.killAt(.after(.milliseconds(100)))
    let frame = try child.connection.receive(deadline: .after(.seconds(60)))
    let isEnd = frame == nil
    #expect(isEnd)
    #expect(ContinuousClock.now - begin < .seconds(30))
    #expect(child.waitForExit(until: .after(.seconds(20))) == .killed(signal: 9))
    #expect(child.missedDeadline)
  }

  @Test func `a moved or cancelled deadline does not kill`() throws {
    let child = try ChildProcess.start(Script.echo)
    #expect(try Script.ask(child.connection, "a") == "a")
    child.killAt(.after(.milliseconds(50)))
    child.killAt(.never)
    usleep(100_000)
    #expect(try Script.ask(child.connection, "b") == "b")
    child.killAt(.after(.seconds(60)))
    child.killAt(.after(.milliseconds(50)))
    #expect(child.waitForExit(until: .after(.seconds(1))) != nil)
  }

  @Test func `a grandchild holding the socket dies with the group, and nobody waits for it`() throws {
    let child = try ChildProcess.start(Script.shell("sleep 100 & echo $! >&2; exit 0"))
    let frame = try child.connection.receive(deadline: .after(.seconds(5)))
    let isEnd = frame == nil
    #expect(isEnd)
    #expect(child.waitForExit(until: .after(.seconds(1))) == .exited(0))
    let grandchild = try #require(child.errorLines.first.flatMap { Int32($0) })
    let end = ContinuousClock.now + .seconds(1)
    func isGone() -> Bool {
      guard exists(grandchild) else { return true }
      let stat = (try? String(contentsOfFile: "/proc/\(grandchild)/stat", encoding: .utf8)) ?? ""
      return stat.contains(") Z ")
    }
    while !isGone(), ContinuousClock.now < end { usleep(1000) }
    #expect(isGone())
  }

  @Test func `no zombie stays, and a child dies with its last reference`() throws {
    var child: ChildProcess? = try ChildProcess.start(Script.shell("exit 0"))
    let first = try #require(child?.pid)
    _ = child?.waitForExit(until: .after(.seconds(2)))
    #expect(!exists(first))
    child = try ChildProcess.start(Script.shell("sleep 100"))
    let second = try #require(child?.pid)
    child = nil
    let end = ContinuousClock.now + .seconds(2)
    while exists(second), ContinuousClock.now < end { usleep(1000) }
    #expect(!exists(second))
  }

  @Test func `a child outlives its starting thread`() throws {
    let started = DispatchSemaphore(value: 0)
    let holder = Monitor<ChildProcess?>(nil)
    Thread {
      let child = try? ChildProcess.start(Script.echo)
      holder.change { $0 = child }
      started.signal()
    }.start()
    started.wait()
    usleep(50_000)
    let child = try #require(holder.withLock { $0 })
    #expect(try Script.ask(child.connection, "still here") == "still here")
  }
}
