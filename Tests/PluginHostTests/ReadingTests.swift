import Foundation
import Glibc
import Monitor
import PhotoModel
import PluginHost
import PluginKit
import Testing

/// Requirements of storages that serve bytes through a pipe, in each of the three ways to run one.
struct ReadingTests {
  let installed: Installed
  /// More than a pipe's buffer.
  private let long = String(repeating: "0123456789", count: 50_000)

  init() throws {
    installed = try Installed()
    try installed.write("a.jpg", "0123456789")
    try installed.write("long.jpg", long)
  }

  @Test(arguments: Subject.Way.allCases) func `a whole file, its rest and its parts are read`(
    _ way: Subject.Way
  )
    throws
  {
    let plugin = try ReadingPlugin(way, installed)
    defer { plugin.storage.stop() }
    #expect(try plugin.storage.facts().root == nil)
    #expect(try plugin.read("a.jpg") == "0123456789")
    #expect(try plugin.read("a.jpg", from: 4) == "456789")
    #expect(try plugin.read("a.jpg", from: 10).isEmpty)
    #expect(try plugin.read("a.jpg", from: 2, length: 3) == "234")
    #expect(try plugin.read("a.jpg", from: 8, length: 100) == "89")
  }

  @Test(arguments: Subject.Way.allCases) func `a part that no file has never reaches the plugin`(_ way: Subject.Way)
    throws
  {
    let plugin = try ReadingPlugin(way, installed)
    defer { plugin.storage.stop() }
    for (offset, length) in [
      (-1, nil), (-1, 5), (.min, nil), (.min, .max), (0, 0), (0, -1), (1, .max), (.max, 1),
    ] as [(Int64, Int64?)] {
      #expect { try plugin.read("a.jpg", from: offset, length: length) } throws: {
        ($0 as? PluginFailure)?.message.contains("The offset is negative, or the length") == true
      }
    }
  }

  @Test(arguments: Subject.Way.allCases) func `an absent file and another version are not found`(_ way: Subject.Way)
    throws
  {
    let plugin = try ReadingPlugin(way, installed)
    defer { plugin.storage.stop() }
    #expect { try plugin.read("a.jpg", "another") } throws: { code($0) == .notFound }
    #expect { try plugin.read("b.jpg", "any") } throws: { code($0) == .notFound }
    let version = try #require(try plugin.storage.enumerate(nil) { _ in }.items.first { $0.primary.locator == "a.jpg" })
      .primary
      .contentVersion
    try installed.write("a.jpg", "other bytes")
    #expect { try plugin.read("a.jpg", version) } throws: { code($0) == .notFound }
    #expect(try plugin.read("a.jpg") == "other bytes")
  }

  @Test(arguments: Subject.Way.allCases)
  func `an abandoned pipe ends the call, and the next one is correct`(
    _ way: Subject.Way
  ) throws {
    let plugin = try ReadingPlugin(way, installed)
    defer { plugin.storage.stop() }
    let version = try #require(
      try plugin.storage.enumerate(nil) { _ in }.items.first { $0.primary.locator == "long.jpg" }
    ).primary
      .contentVersion
    let pipe = Pipe()
    let reader = pipe.fileHandleForReading
    Thread.detachNewThread {
      usleep(200_000)
      try? reader.close()
    }
    let began = ContinuousClock.now
    #expect(throws: PluginFailure.self) {
      try plugin.storage.read(
        locator: "long.jpg", contentVersion: version, from: 0, length: nil,
        into: pipe.fileHandleForWriting.fileDescriptor,
        deadline: .seconds(30))
    }
    #expect(began.duration(to: .now) < .seconds(4))
    #expect(try plugin.read("a.jpg") == "0123456789")
  }

  @Test(arguments: Subject.Way.allCases) func `several files are read in parallel, and a slow reader delays no other`(
    _ way: Subject.Way
  )
    throws
  {
    let plugin = try ReadingPlugin(way, installed)
    defer { plugin.storage.stop() }
    let version = try #require(
      try plugin.storage.enumerate(nil) { _ in }.items.first { $0.primary.locator == "long.jpg" }
    ).primary
      .contentVersion
    let done = Monitor(0)
    let storage = plugin.storage
    let pipes = (0..<3).map { _ in Pipe() }
    for pipe in pipes {
      Thread.detachNewThread {
        try? storage.read(
          locator: "long.jpg", contentVersion: version, from: 0, length: nil,
          into: pipe.fileHandleForWriting.fileDescriptor,
          deadline: .seconds(60))
        try? pipe.fileHandleForWriting.close()
        done.change { $0 += 1 }
      }
    }
    // Each of these waits for its pipe's reader.
    #expect(try plugin.read("a.jpg") == "0123456789")
    #expect(done.withLock { $0 } == 0)
    for pipe in pipes {
      #expect(String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == long)
    }
    #expect(done.wait(until: .after(.seconds(10))) { $0 == 3 ? true : nil } == true)
  }
}
