import Foundation
import Glibc
import MediaClient
import PhotoModel
import Supervisor
import Synchronization
import Testing
import UnixSocket

/// Answers of a worker that a photo took over, and the client's reactions.
struct HostileWorkerTests {
  private func code(of answer: String, limits: MediaAllowance = MediaAllowance()) throws -> MediaError.Code? {
    let fake = try FakeWorker(answer)
    let client = MediaClient(programs: fake.folder, limits: limits)
    let file = try MediaWorker.sealed(Data("x".utf8))
    do {
      _ = try client.facts(of: file)
      return nil
    } catch { return error.code }
  }

  @Test(arguments: [
    #"say(head + "kind image\n" + "kind image\n")"#, #"say(head + "colour red\n")"#, #"say(head + "size 0 10\n")"#,
    #"say(head + "size 10\n")"#, #"say(head + "size 10 10 10\n")"#, #"say(head + "size 99999999999999999999 1\n")"#,
    #"say(head + "location nan 1\n")"#, #"say(head + "location 91 1\n")"#, #"say(head + "make \u001b[31m\n")"#,
    #"say(head + "make " + "x" * 129 + "\n")"#, #"say(head + "keyword x\n" * 33)"#, #"say(head + "x" * 20000 + "\n")"#,
    #"say(head + "date 2024 13 1 0 0 0 0 original\n")"#, #"say(head + "date 1987 1 1 0 0 0 0 xmp whole\n")"#,
    #"say(head + "date 1987 1 1 0 0 0 0 xmp partial\noffset 60 tag\n")"#, #"say(head + "offset 60 tag\n")"#,
    #"say("ok 12345\n")"#,
    #"say("refused " + words[1] + "\n")"#, #"say(head.strip())"#, #"say(b"\xff\xfe\0")"#, #"say("")"#,
    #"say(head + "problem ../x\n")"#, #"say(head + "motion 1 9223372036854775807\n")"#,
    #"say(head + "type Image/JPEG\n")"#, #"say("video " + words[1] + "\n")"#,
    #"say(head if hasVideos else "video " + words[1] + "\nkind video\n")"#,
    "os._exit(3)", "os.kill(os.getpid(), 11)", "channel.close(); os._exit(0)",
    #"socket.send_fds(channel, [head.encode() + b"\0"], [0])"#,
  ])
  func `a nonsense answer makes the file poison`(answer: String) throws {
    #expect(try code(of: answer) == .poison)
  }

  @Test(arguments: [
    "need 100 1", "need 99 2", "need 0 0", "need -1 5", "need 0 101", "need 0", "need 0 1 2",
    "need 18446744073709551615 1",
    "need 1 9223372036854775807", "need 0 1\\nkind image", "kind image\\nneed 0 1", "need 0 1\\nneed 0 1",
  ])
  func `requests for bytes beyond a file are refused`(answer: String) throws {
    let fake = try FakeWorker("say(head + \"\(answer)\\n\")")
    let client = MediaClient(programs: fake.folder)
    let file = try MediaWorker.sealed(Data("x".utf8))
    #expect { try client.facts(ofParts: file, byteCount: 100, parts: [0..<10]) } throws: {
      ($0 as? MediaError)?.code == .poison
    }
  }

  @Test func `requests for bytes of a file are answered`() throws {
    let fake = try FakeWorker(#"say(head + "need 90 10\n" if words[2] == "0-10" else "")"#)
    let client = MediaClient(programs: fake.folder)
    let file = try MediaWorker.sealed(Data("x".utf8))
    #expect(try client.facts(ofParts: file, byteCount: 100, parts: [0..<10]) == .needs(90..<100))
  }

  @Test func `a correct answer of the fake is accepted`() throws {
    #expect(try code(of: #"say(head + "kind image\nmake A\nkeyword x\nkeyword y\n")"#) == nil)
  }

  @Test func `the second worker reads a file that the first one sends there`() throws {
    let fake = try FakeWorker(
      #"say(head + "kind video\n" + "make %d\n" % len(fds) if hasVideos else "video " + words[1] + "\n")"#)
    let client = MediaClient(programs: fake.folder)
    let file = try MediaWorker.sealed(Data("x".utf8))
    let facts = try client.facts(of: file, sidecar: MediaWorker.sealed(Data("y".utf8)))
    #expect(facts.mediaType == .video && facts.make == "2")
  }

  @Test func `both workers together have the time of one`() throws {
    var limits = MediaAllowance()
    limits.factsDeadline = .seconds(2)
    let fake = try FakeWorker(
      """
      if hasVideos: time.sleep(60)
      time.sleep(1)
      say("video " + words[1] + "\\n")
      """)
    let client = MediaClient(programs: fake.folder, limits: limits)
    let file = try MediaWorker.sealed(Data("x".utf8))
    let start = ContinuousClock.now
    #expect { try client.facts(of: file) } throws: { ($0 as? MediaError)?.isLate == true }
    #expect(ContinuousClock.now - start < .seconds(2.9))
  }

  @Test func `a silent worker is killed at the deadline, and the next one answers`() throws {
    var limits = MediaAllowance()
    limits.factsDeadline = .seconds(3)
    let fake = try FakeWorker(
      """
      if not os.path.exists(__file__ + ".answered"):
          open(__file__ + ".answered", "w").close()
          time.sleep(60)
      say(head)
      """)
    let client = MediaClient(programs: fake.folder, limits: limits)
    let file = try MediaWorker.sealed(Data("x".utf8))
    let start = ContinuousClock.now
    #expect(throws: MediaError.self) { _ = try client.facts(of: file) }
    #expect(ContinuousClock.now - start < .seconds(30))
    _ = try client.facts(of: file)
  }

  @Test func `a worker that announces its exit is replaced without blaming the next file`() throws {
    let fake = try FakeWorker(
      """
      say("ok " + words[1] + "\\nlast\\n")
      time.sleep(0.05)
      os._exit(0)
      """)
    let client = MediaClient(programs: fake.folder)
    let file = try MediaWorker.sealed(Data("x".utf8))
    for _ in 0..<5 { _ = try client.facts(of: file) }
  }

  @Test(arguments: [
    #"b"\xff\xd8\xff\xe1\0\x10Exif\0\0........\xff\xda..\xff\xd9""#, #"b"GIF89a.............""#,
    #"b"\xff\xd8\xff\xfe\0\x05gps\xff\xda\xff\xd9""#,
    #"b"RIFF\x20\0\0\0WEBPEXIF\x08\0\0\0secretly....""#, #"b"\xff\xd8""#,
  ])
  func `a thumbnail with additional data is not passed on`(bytes: String) throws {
    let fake = try FakeWorker(
      """
      data = \(bytes)
      os.write(fds[1], data)
      say(head + "thumbnail 1 1 %d\\n" % len(data))
      """)
    let client = MediaClient(programs: fake.folder)
    #expect(try MediaWorker.refusal(client, Data("x".utf8))?.code == .poison)
  }

  @Test func `a worker cannot change a delivered thumbnail`() throws {
    let fake = try FakeWorker(
      """
      import mmap
      data = b"\\xff\\xd8\\xff\\xda..\\xff\\xd9"
      os.write(fds[1], data)
      if words[4] == "2": held = mmap.mmap(fds[1], len(data))
      say(head + "thumbnail 1 1 %d\\n" % len(data))
      """)
    let client = MediaClient(programs: fake.folder)
    #expect(try MediaWorker.refusal(client, Data("x".utf8), .init(width: 1, height: 1)) == nil)
    // A writable mapping keeps the file from being sealed.
    #expect(try MediaWorker.refusal(client, Data("x".utf8), .init(width: 2, height: 1))?.code == .poison)
  }

  @Test func `a missing worker is named with its package`() throws {
    let client = MediaClient(programs: "/nonexistent/canary")
    let error = try #require(try MediaWorker.refusal(client, Data("x".utf8)))
    #expect(error.code == .unavailable)
    #expect(error.message.contains("libvips-dev") && error.message.contains("photobroker-media"))
    #expect(!error.description.contains("canary"))
    #expect(client.absence == error)
  }

  /// Requests a picture on a thread of its own, and returns the error.
  private func picture(_ width: Int, of client: MediaClient, isWanted: @escaping @Sendable () -> Bool) async
    -> MediaError.Code?
  {
    await withCheckedContinuation { answer in
      Thread.detachNewThread {
        guard let file = try? MediaWorker.sealed(Data("x".utf8)) else { return answer.resume(returning: nil) }
        do throws(MediaError) {
          _ = try client.thumbnail(of: file, .init(width: width, height: width), isWanted: isWanted)
          answer.resume(returning: nil)
        } catch { answer.resume(returning: error.code) }
      }
    }
  }

  private final class Flag: Sendable {
    private let state = Atomic(true)
    var isSet: Bool { state.load(ordering: .relaxed) }
    func clear() { state.store(false, ordering: .relaxed) }
  }

  @Test func `R18 an unwanted picture is cancelled, and waiting ones are made`() async throws {
    // The first picture never returns, the second fails at once.
    let worker = try FakeWorker(
      """
      if words[4] == "1000": time.sleep(1000)
      say("refused " + words[1] + "\\nproblem too-large\\n")
      """)
    var limits = MediaAllowance()
    limits.patience = .milliseconds(50)
    let client = MediaClient(programs: worker.folder, limits: limits)
    let isWanted = Flag()
    async let first = picture(1_000, of: client) { isWanted.isSet }
    while client.status == .idle { try await Task.sleep(for: .milliseconds(5)) }
    async let second = picture(100, of: client) { true }
    async let third = picture(200, of: client) { isWanted.isSet }
    try await Task.sleep(for: .milliseconds(200))
    isWanted.clear()
    let outcomes = await [first, second, third]
    #expect(outcomes == [.stopped, .refused, .stopped], "\(outcomes)")
  }

  @Test(.enabled(if: MediaWorker.hasPhotos, MediaWorker.noPhotos))
  func `kill -9 during a request costs only that request`() async throws {
    let client = MediaClient(programs: MediaWorker.folder)
    let photo = try MediaWorker.photo("heic/IMG_2682.heic")
    _ = try client.facts(of: MediaWorker.sealed(photo))
    guard case .running(let pid) = client.status else { throw MediaError.Code.unavailable.asIssue }
    // Stopped, the worker holds the request and cannot finish it before the kill.
    kill(pid, SIGSTOP)
    async let killing: Void = {
      try? await Task.sleep(for: .milliseconds(100))
      kill(pid, SIGKILL)
    }()
    let outcome = try MediaWorker.refusal(client, photo, .init(width: 2_000, height: 2_000))
    await killing
    #expect(outcome?.code == .poison && outcome?.isLate == true, "the file may be innocent")
    let again = try client.thumbnail(of: MediaWorker.sealed(photo), .init(width: 100, height: 100))
    #expect(again.width == 100)
    guard case .running(let second) = client.status else { throw MediaError.Code.unavailable.asIssue }
    #expect(second != pid)
  }
}

extension MediaError.Code {
  /// An issue for an unexpected status.
  var asIssue: IssueText { IssueText(text: rawValue) }
}

struct IssueText: Error { let text: String }
