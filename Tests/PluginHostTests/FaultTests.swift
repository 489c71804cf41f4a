import Foundation
import Glibc
import Monitor
import PhotoModel
@testable import PluginHost
import PluginKit
import Supervisor
import Testing

/// The costs of a faulty plugin, and its messages to the operator.
struct FaultTests {
  let installed: Installed
  init() throws {
    installed = try Installed()
    try installed.install("faulty", python: PythonPlugin.faulty)
  }

  private func storage(_ fault: String) throws -> IsolatedStorage {
    IsolatedStorage(
      name: "faulty", settings: PluginSettings(options: ["fault": fault]),
      program: try installed.finder.program(for: "faulty"))
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var code: PluginError.Code
    /// Text that the message must contain.
    var words: String

    init(_ fault: String, _ code: PluginError.Code, _ words: String = "") {
      testDescription = fault
      self.code = code
      self.words = words
    }
  }

  static let cases = [
    Case("crash", .offline),
    Case("exit", .offline, "giving up?[31m now"),
    Case("no json", .offline),
    Case("half a message", .offline),
    Case("endless message", .offline),
    Case("not unicode", .offline),
    Case("two keys", .offline),
    Case("deep", .offline),
    Case("wrong types", .offline),
    Case("nothing", .offline),
    Case("too many items", .offline),
    Case("long message", .offline),
    Case("foreign error", .failed, "org.example.Surprise"),
    Case("escape codes", .offline, "gone?[2J???away"),
    Case("unknown code", .failed, "I do not feel like it."),
    Case("endless list", .failed, "does not end"),
    Case("old kit", .unsupported, "kit 0"),
    Case("will not start", .invalidOption, "Option \"fault\""),
    Case("dies at start", .offline, "no such disk"),
  ]

  @Test(arguments: cases) func `a fault is an error with the plugin's name and nothing else`(_ one: Case) throws {
    let storage = try storage(one.testDescription)
    defer { storage.stop() }
    let start = ContinuousClock.now
    #expect { try storage.enumerate { _ in } } throws: { error in
      let failure = error as? PluginFailure
      #expect(failure?.code == one.code)
      let message = failure?.message ?? ""
      #expect(message.hasPrefix("storage(faulty): "), "\(message)")
      #expect(one.words.isEmpty || message.contains(one.words), "\(message)")
      #expect(message.utf8.count < 1_024)
      #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
      return failure != nil
    }
    #expect(start.duration(to: .now) < .seconds(10))
  }

  /// Reads by name: `hold` waits for a file, `crash` always fails, any other name returns a byte.
  private static let reader =
    PythonPlugin.wire + #"""
      for method, parameters, files in calls():
          if method == "Start":
              gate = parameters["options"]["path"]
              answer({"kit": 1})
          elif method == "Read":
              if parameters["locator"] == "crash": os._exit(1)
              while parameters["locator"] == "hold" and os.path.exists(gate): time.sleep(0.02)
              os.write(files[0], b"x")
              answer({})
          else: refuse("unsupported", "It cannot.")
      """#

  @Test func `a read waits for a working process while the idle one is resting`() throws {
    let gate = installed.folder + "/gate"
    try Data().write(to: URL(fileURLWithPath: gate))
    try installed.install("reader", python: Self.reader)
    let storage = IsolatedStorage(
      name: "reader", settings: PluginSettings(options: ["path": gate]),
      program: try installed.finder.program(for: "reader"))
    defer { storage.stop() }
    @Sendable func read(_ locator: String) throws -> Int {
      let pipe = Pipe()
      try storage.read(
        locator: locator, contentVersion: "1", from: 0, length: nil, into: pipe.fileHandleForWriting.fileDescriptor,
        deadline: .seconds(60))
      try pipe.fileHandleForWriting.close()
      return pipe.fileHandleForReading.readDataToEndOfFile().count
    }
    let held = Monitor(0)
    for _ in 1..<IsolatedStorage.readerCount {
      Thread.detachNewThread { if (try? read("hold")) == 1 { held.change { $0 += 1 } } }
    }
    usleep(1_000_000)
    // Repeated failures open the circuit breaker.
    for _ in 0..<5 { #expect(throws: PluginFailure.self) { try read("crash") } }
    Thread.detachNewThread {
      usleep(500_000)
      unlink(gate)
    }
    #expect(try read("any") == 1)
    #expect(held.wait(until: .after(.seconds(20))) { $0 == IsolatedStorage.readerCount - 1 ? true : nil } == true)
  }

  @Test func `the reason for a failed start is reported while it lasts`() throws {
    let storage = try storage("will not start")
    defer { storage.stop() }
    // More failures than the circuit breaker allows for other errors.
    for _ in 0..<7 {
      #expect { try storage.facts() } throws: { code($0) == .invalidOption && "\($0)".contains("Option \"fault\"") }
    }
  }

  @Test func `invalid items are skipped and counted`() throws {
    let storage = try storage("hostile items")
    defer { storage.stop() }
    let found = try storage.enumerate { _ in }
    // Two names that look the same are two files.
    #expect(
      found.items.map { $0.primary.locator.utf8.count }
        == ["good.jpg", "caf\u{e9}.jpg", "cafe\u{301}.jpg"].map(\.utf8.count))
    #expect(found.skipped == 28)
  }

  @Test func `a text of any length costs its item, and not the list`() throws {
    let storage = try storage("long text")
    defer { storage.stop() }
    let found = try storage.enumerate { _ in }
    #expect(found.items.map(\.primary.locator) == ["a.jpg"] && found.skipped == 1)
    #expect(found.refused.complaints.keys.contains { $0.contains("not 1 to 255 bytes") })
  }

  @Test(arguments: [
    ("endless list", "does not end"), ("no root", "not an absolute path"), ("long text", "not 1 to 255 bytes"),
  ]) func `a fault of an answer is in the plugin's log`(fault: String, words: String) throws {
    let journal = PluginJournal()
    var program = try installed.finder.program(for: "faulty")
    program.journal = journal
    let storage = IsolatedStorage(
      name: "faulty", settings: PluginSettings(options: ["fault": fault]), program: program)
    defer { storage.stop() }
    _ = try? storage.facts()
    _ = try? storage.enumerate { _ in }
    let notes = journal.newest(100).entries.filter { $0.kind == .note }.map(\.text)
    #expect(notes.count { $0.contains(words) } == 1, "\(notes)")
  }

  @Test func `an unrequested answer is not mistaken for the next one`() throws {
    let storage = try storage("two answers")
    defer { storage.stop() }
    #expect(try storage.enumerate { _ in }.items.isEmpty)
    // The second reply has another shape, and must not be taken for the next call's.
    #expect(throws: PluginFailure.self) { try storage.facts() }
  }

  @Test func `unrequested descriptors are closed`() throws {
    func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let storage = try storage("many descriptors")
    defer { storage.stop() }
    _ = try? storage.enumerate { _ in }
    let before = try count()
    for _ in 0..<20 { _ = try? storage.enumerate { _ in } }
    // Parallel tests open a few descriptors themselves; 4,000 were sent.
    #expect(try count() < before + 100)
  }

  @Test func `facts are checked as well`() throws {
    let harmless = try storage("")
    defer { harmless.stop() }
    let facts = try harmless.facts()
    #expect(facts.changeDetection == .rescan)
    #expect(facts.notice == "?[31mred")
    let wrong = try storage("no root")
    defer { wrong.stop() }
    #expect { try wrong.facts() } throws: { code($0) == .failed }
  }

  @Test func `a hanging plugin is killed at the call's deadline, and the next call has a new one`() throws {
    let policy = IsolatedAlbumPolicy(
      name: "faulty", settings: PluginSettings(options: ["fault": "hang"]),
      program: try installed.finder.program(for: "faulty"))
    defer { policy.stop() }
    let start = ContinuousClock.now
    #expect { try policy.decide(Self.question(1)) } throws: { code($0) == .offline }
    // The time for a start included.
    #expect(start.duration(to: .now) > .seconds(9))
    #expect(start.duration(to: .now) < .seconds(13))
  }

  @Test func `R136 unrequested albums cannot be shown`() throws {
    let policy = IsolatedAlbumPolicy(
      name: "faulty", settings: PluginSettings(options: ["fault": "grabs albums"]),
      program: try installed.finder.program(for: "faulty"))
    defer { policy.stop() }
    let answer = try policy.decide(Self.question(1))
    #expect(answer.visible.map(\.description) == [String(repeating: "0", count: 32)])
    #expect(answer.editable == answer.visible)
  }

  static func question(_ count: Int, limited: Bool = true) -> AlbumPolicyQuestion {
    let albums = (0..<count).map { (number: Int) -> AlbumPolicyQuestion.Album in
      let source: SourceType = number % 5 == 4 ? .cloudShared : .userLibrary
      return AlbumPolicyQuestion.Album(
        identifier: AlbumIdentifier(high: 0, low: UInt64(number)), title: "Album \(number)", isOwn: number % 2 == 0,
        source: source)
    }
    return AlbumPolicyQuestion(isLimited: limited, albums: albums)
  }
}
