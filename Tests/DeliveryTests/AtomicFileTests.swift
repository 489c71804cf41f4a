import Foundation
import Glibc
import Testing
import UnixSocket

@testable import Delivery

struct AtomicFileTests {
  private func copy(_ bytes: [UInt8]) throws -> SealedCopy {
    let folder = try Folder()
    try folder.write(bytes, to: "source")
    return try folder.copy("source")
  }

  @Test(arguments: [true, false])
  func `R142 an existing file is never overwritten: the new one gets a number`(unnamed: Bool) throws {
    let folder = try Folder()
    let bytes = pattern(200_000)
    try folder.write([9], to: "a.b.jpg")
    let new = try copy(bytes)
    let directory = try folder.root().openDirectory(".")
    var names: [String] = []
    for _ in 0..<2 {
      names.append(try AtomicFile.write(new, into: directory, name: "a.b.jpg", mode: 0o600, unnamed: unnamed))
    }
    #expect(names == ["a.b-1.jpg", "a.b-2.jpg"])
    #expect(folder.names == ["a.b-1.jpg", "a.b-2.jpg", "a.b.jpg"])
    #expect(try folder.read("a.b.jpg") == [9])
    #expect(try folder.read("a.b-2.jpg") == bytes)
    #expect(try AtomicFile.write(new, into: directory, name: "plain", mode: 0o600, unnamed: unnamed) == "plain")
    #expect(try folder.root().open("plain").facts.mode & 0o777 == 0o600)
  }

  @Test func `when nine numbers are taken the suffix tells nothing about how many files there are`() throws {
    let folder = try Folder()
    let new = try copy([1])
    let directory = try folder.root().openDirectory(".")
    var names: Set<String> = []
    for _ in 0..<12 { names.insert(try AtomicFile.write(new, into: directory, name: "a.jpg")) }
    #expect(names.count == 12)
    #expect(names.contains("a-9.jpg"))
    #expect(!names.contains("a-10.jpg"))
  }

  @Test(arguments: ["", ".", "..", ".hidden", "a/b", "a\0b", "a\nb", String(repeating: "x", count: 201)])
  func `a name that is no plain file name is refused`(name: String) throws {
    let folder = try Folder()
    let new = try copy([1])
    let directory = try folder.root().openDirectory(".")
    #expect(code { _ = try AtomicFile.write(new, into: directory, name: name) } == .invalidName)
    #expect(folder.names.isEmpty)
  }

  @Test func `the longest names fit, with their suffix`() throws {
    let folder = try Folder()
    let new = try copy([1])
    let directory = try folder.root().openDirectory(".")
    for name in [String(repeating: "é", count: 100), "a." + String(repeating: "x", count: 198)] {
      for _ in 0..<12 { #expect(code { _ = try AtomicFile.write(new, into: directory, name: name) } == nil) }
    }
    #expect(folder.names.count == 24)
  }

  @Test(arguments: [true, false])
  func `a folder that takes no file is an error`(unnamed: Bool) throws {
    let new = try copy([1])
    // Not even root can make a file here.
    let directory = FileDescriptor(owning: open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    #expect(code { _ = try AtomicFile.write(new, into: directory, name: "x", mode: 0o600, unnamed: unnamed) } != nil)
  }
}
