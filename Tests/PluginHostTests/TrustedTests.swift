import Foundation
import Glibc
import Limits
import PhotoModel
@testable import PluginHost
import PluginKit
import Synchronization
import Testing

/// Plugins in the daemon behave as in their own process, and late calls stay bounded.
struct TrustedTests {
  /// A backend that follows the commands in its locators.
  final class Scripted: StorageBackend {
    static let options = [PluginOption("key", .text, optional: true, secret: true, summary: "For a test.")]
    /// The number of objects made, over all tests.
    static let made = Atomic<Int>(0)

    private let key: String

    init(options: PluginOptions) throws(PluginError) {
      key = options["key"] ?? ""
      if key == "refused" { throw PluginError(.invalidOption, "The key \(key) does not fit.") }
      Self.made.wrappingAdd(1, ordering: .relaxed)
    }

    func facts() throws(PluginError) -> StorageFacts {
      StorageFacts(root: nil, changeDetection: .rescan, isReadOnly: true, notice: "a\nb")
    }

    func enumerate(page: String?) throws(PluginError) -> ItemPage {
      func item(_ locator: String) -> StorageItem {
        StorageItem(
          primary: ItemFile(
            role: .original, locator: locator, filename: "a.jpg", size: 1, contentVersion: "1", identityHint: nil,
            modified: Timestamp(microseconds: 0)))
      }
      return ItemPage(items: ["../up.jpg", "good.jpg", "good.jpg"].map(item), skipped: -3, next: nil)
    }

    func waitForChanges(milliseconds: Int) throws(PluginError) -> Bool { false }

    func read(locator: String, contentVersion: String, from offset: Int64, into pipe: Int32) throws(PluginError) {
      if let seconds = Double(locator) { usleep(UInt32(seconds * 1_000_000)) }
      let isWritten = write(pipe, "photo", 5) == 5
      guard isWritten else { throw PluginError(.failed, "EPIPE with \(key)") }
    }

    func add(name: String, contents: Int32, size: Int64) throws(PluginError) -> StorageItem {
      throw PluginError(.readOnly, "")
    }
    func trash(locator: String) throws(PluginError) { throw PluginError(.failed, "The key is \(key).") }
    func restore(locator: String) throws(PluginError) {}
  }

  private func storage(
    _ key: String = "", capabilities: Set<StorageCapability> = [.read, .trash],
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) -> TrustedStorage {
    let registry = PluginRegistry()
    registry.add(
      storage: "scripted", Scripted.self, options: Scripted.options, capabilities: capabilities, summary: "A test.")
    return TrustedStorage(
      name: "scripted", settings: PluginSettings(secrets: key.isEmpty ? [:] : ["key": key]),
      object: TrustedObject(registry, tell: tell))
  }

  @Test func `its answers are checked like others', and its secret is in no message`() throws {
    let storage = storage("open sesame")
    defer { storage.stop() }
    let found = try storage.enumerate { _ in }
    #expect(found.items.map(\.primary.locator) == ["good.jpg"])
    #expect(found.skipped == 2)
    #expect(try storage.facts().notice == "a?b")
    #expect { try storage.trash(locator: "a.jpg", known: nil, size: 1) } throws: {
      "\($0)" == "storage(scripted): The key is [secret]."
    }
    #expect { try storage.add(name: "a.jpg", contents: 0, size: 0, folder: nil) } throws: {
      code($0) == .readOnly && "\($0)".contains("cannot add files")
    }
  }

  @Test func `a refused option is named every time`() {
    let storage = storage("refused")
    defer { storage.stop() }
    for _ in 0..<3 {
      #expect { try storage.facts() } throws: {
        code($0) == .invalidOption && "\($0)".contains("[secret] does not fit")
      }
    }
  }

  @Test func `a late call fails, fences the object, and is forgotten on its return`() throws {
    let storage = storage()
    defer { storage.stop() }
    func read(_ locator: String, _ deadline: Duration) throws -> String {
      let pipe = Pipe()
      defer { try? pipe.fileHandleForWriting.close() }
      try storage.read(
        locator: locator, contentVersion: "1", from: 0, length: nil, into: pipe.fileHandleForWriting.fileDescriptor,
        deadline: deadline)
      return String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    }
    // All 12 reading objects are late.
    for _ in 0..<12 {
      let start = ContinuousClock.now
      #expect { try read("2", .milliseconds(20)) } throws: { code($0) == .offline && "\($0)".contains("--trust") }
      #expect(start.duration(to: .now) < .milliseconds(1_500))
    }
    #expect { try read("0", .seconds(5)) } throws: { code($0) == .offline && "\($0)".contains("has not returned") }
    // Another object answers, so other calls continue.
    #expect(try storage.facts().isReadOnly)
    let before = Scripted.made.load(ordering: .relaxed)
    usleep(2_500_000)
    #expect(try read("0", .seconds(5)) == "photo")
    #expect(Scripted.made.load(ordering: .relaxed) > before, "what was late is not used again")
  }

  @Test func `an abandoned read returns its place, and the operator is notified of the thread`()
    throws
  {
    let told = Mutex<[String]>([])
    let storage = storage { what in told.withLock { $0.append(what) } }
    defer { storage.stop() }
    let pipe = Pipe()
    let reader = pipe.fileHandleForReading
    Thread.detachNewThread {
      usleep(300_000)
      try? reader.close()
    }
    let start = ContinuousClock.now
    #expect {
      try storage.read(
        locator: "4", contentVersion: "1", from: 0, length: nil, into: pipe.fileHandleForWriting.fileDescriptor,
        deadline: .seconds(3_600))
    } throws: { code($0) == .offline && "\($0)".contains("--trust") }
    #expect(start.duration(to: .now) < .seconds(3))
    #expect(
      told.withLock {
        $0.count == 1 && $0[0].hasPrefix("storage(scripted): ") && $0[0].contains("still holds its thread")
      })
    usleep(2_500_000)
    #expect(told.withLock { $0.count == 2 && $0[1].contains("has returned; 0 have not") })
  }

  @Test func `no thread starts while too many are outstanding`() throws {
    let registry = PluginRegistry()
    registry.add(
      storage: "scripted", Scripted.self, options: Scripted.options, capabilities: [.read], summary: "A test.")
    let object = TrustedObject(registry)
    for _ in 0..<PluginLimits.lateThreads { object.isLate("a test") }
    let storage = TrustedStorage(name: "scripted", settings: PluginSettings(), object: object)
    defer { storage.stop() }
    #expect { try storage.facts() } throws: { code($0) == .offline && "\($0)".contains("Too many of its calls") }
    object.cameBack("a test")
    #expect(try storage.facts().isReadOnly)
  }

  @Test func `a pipe closed by its reader is an error and not the daemon's end`() throws {
    let storage = storage()
    defer { storage.stop() }
    let pipe = Pipe()
    let reader = pipe.fileHandleForReading
    // This happens during the read, which takes a second.
    Thread.detachNewThread {
      usleep(300_000)
      try? reader.close()
    }
    #expect {
      try storage.read(
        locator: "1", contentVersion: "1", from: 0, length: nil, into: pipe.fileHandleForWriting.fileDescriptor,
        deadline: .seconds(5))
    } throws: { code($0) == .failed && "\($0)".contains("EPIPE") }
  }

  @Test func `a stopped plugin refuses, and its objects are released`() throws {
    let storage = storage()
    _ = try storage.facts()
    storage.stop()
    #expect { try storage.facts() } throws: { code($0) == .offline }
  }
}
