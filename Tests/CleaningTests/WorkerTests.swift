import CLinux
import Cleaning
import CleaningClient
import Foundation
import Glibc
import Supervisor
import Testing
import UnixSocket

/// The client with the built worker, and with workers that a photo took over.
struct WorkerTests {
  /// SwiftPM builds programs beside the test program.
  private static let worker: String = {
    let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: here).deletingLastPathComponent().appendingPathComponent("photobroker-clean").path
  }()

  private func memoryFile(_ bytes: [UInt8]) throws -> FileDescriptor {
    let file = FileDescriptor(owning: clinux_memory_file("input"))
    let count = bytes.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
    try #require(count == bytes.count)
    return file
  }

  @Test(arguments: Sample.all.map(\.name))
  func `R150 the locked-down worker answers the plan`(name: String) throws {
    let bytes = try #require(Sample.all.first { $0.name == name }?.bytes)
    let client = CleaningClient(worker: Self.worker)
    let file = try memoryFile(bytes)
    #expect(try client.plan(of: file, withholding: .location) == Cleaned.outcome(bytes))
    #expect(try client.plan(of: file, withholding: .captions) == Cleaned.outcome(bytes, .captions))
    #expect(try client.plan(of: memoryFile([1, 2, 3]), withholding: .location) == .uncleanable(.unknownFormat))
  }

  @Test func `R150 the worker is locked down before its first request`() throws {
    let client = CleaningClient(worker: Self.worker)
    _ = try client.plan(of: memoryFile([1]), withholding: .location)
    guard case .running(let pid) = client.status else {
      Issue.record("\(client.status)")
      return
    }
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    #expect(status.contains("Seccomp:\t2\n") && status.contains("NoNewPrivs:\t1\n"))
    // Only root may look into a process that is not dumpable.
    #expect(getuid() == 0 || (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) == nil)
  }

  /// The client's answer with a fake worker, whose statements get the request as `words`, its
  /// descriptors as `fds`, and call `say(text)`.
  private func outcome(of statements: String, _ limits: CleaningAllowance = .init()) throws -> CleaningOutcome {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fake-clean-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = """
      #!/usr/bin/python3
      import os, socket, time
      channel = socket.socket(fileno=3)
      def say(text): channel.sendall(text.encode() + b"\\0")
      while True:
          data, fds, flags, address = socket.recv_fds(channel, 200, 4)
          if not data: break
          words = data[:-1].decode().split(" ")
          if words[0] == "ping":
              say("ok 0\\n")
              continue
          head = "ok " + words[1] + "\\n"
          \(statements)

      """
    let path = folder.appendingPathComponent("photobroker-clean").path
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let client = CleaningClient(worker: path, limits: limits)
    defer { client.stop() }
    return try client.plan(of: memoryFile(Array(repeating: 1, count: 20)), withholding: .location)
  }

  @Test func `a correct answer of the fake is accepted`() throws {
    let plan = try #require(CleaningPlan([.init(offset: 18, .fill(0, count: 2))], byteCount: 20))
    #expect(try outcome(of: #"say(head + "fill 18 2 0\n")"#) == .plan(plan))
  }

  @Test(arguments: [
    #"say(head + "fill 19 2 0\n")"#, #"say("ok 0\n")"#, #"say("")"#, "os._exit(3)", "os.kill(os.getpid(), 11)",
    #"socket.send_fds(channel, [head.encode() + b"\0"], [0])"#,
  ])
  func `R150 a crash or a nonsense answer makes a file uncleanable`(statements: String) throws {
    #expect(try outcome(of: statements) == .uncleanable(.workerFailed))
  }

  @Test func `R150 a silent worker makes a file uncleanable`() throws {
    var limits = CleaningAllowance()
    limits.deadline = .seconds(3)
    #expect(try outcome(of: "time.sleep(60)", limits) == .uncleanable(.workerFailed))
  }

  @Test func `a missing worker is named`() throws {
    let client = CleaningClient(worker: "/nonexistent/canary/photobroker-clean")
    let file = try memoryFile([1])
    #expect {
      try client.plan(of: file, withholding: .location)
    } throws: { error in
      (error as? CleaningError)?.code == .unavailable && !"\(error)".contains("canary")
    }
  }
}
