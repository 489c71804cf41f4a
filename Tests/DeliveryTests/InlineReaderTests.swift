import Glibc
import Testing
import UnixSocket

@testable import Delivery

struct InlineReaderTests {
  @Test func `R141 pieces are read in place, and never from a file changed meanwhile`() throws {
    let folder = try Folder()
    let bytes = pattern(1_300_000)
    try folder.write(bytes, to: "a")
    let root = try folder.root()
    var whole: [UInt8] = []
    while true {
      let piece = try #require(
        try InlineReader.read(root.open("a"), offset: Int64(whole.count), length: InlineReader.pieceLimitBytes) { _ in
          true
        })
      if piece.isEmpty { break }
      whole += piece
    }
    #expect(whole == bytes)

    let file = try root.open("a")
    let listed = file.facts
    #expect(
      try InlineReader.read(file, offset: 0, length: 10) { $0.byteCount == 5 } == nil,
      "another state than the wanted one")
    var looks = 0
    let torn = try InlineReader.read(file, offset: 0, length: 10) { facts in
      looks += 1
      if looks == 1, let owner = try? folder.descriptor("a", O_RDWR) { ftruncate(owner.number, 100) }
      return !facts.contentDiffers(from: listed)
    }
    #expect(torn == nil && looks == 2, "it is looked at again after the piece was read")
    #expect(code { _ = try InlineReader.read(root.open("a"), offset: -1, length: 10) { _ in true } } == .invalidRange)
  }

  @Test func `R141 reading in place ends once the file differs from its listing`() throws {
    let folder = try Folder()
    try folder.write(pattern(100_000), to: "a")
    let root = try folder.root()
    #expect(code { _ = try FileInPlace(try root.open("a")) { _ in false } } == .changedWhileReading)
    let file = try FileInPlace(try root.open("a")) { $0.byteCount == 100_000 }
    #expect(try file.read(offset: 99_990, length: 100) == Array(pattern(100_000).suffix(10)))
    #expect(try file.lend { descriptor throws(DeliveryError) in try FileFacts(of: descriptor).byteCount } == 100_000)
    let tornWhileLent = code {
      _ = try file.lend { descriptor throws(DeliveryError) in
        if let owner = try? folder.descriptor("a", O_RDWR) { ftruncate(owner.number, 100) }
        return 0
      }
    }
    #expect(tornWhileLent == .changedWhileReading, "whoever looked into it may have seen two files")
    #expect(code { _ = try file.read(offset: 0, length: 10) } == .changedWhileReading)
  }

  @Test func `R141 reading in place ends at another time of change, whatever the versions`() throws {
    let folder = try Folder()
    try folder.write(pattern(1_000), to: "a")
    let file = try FileInPlace(try folder.root().open("a")) { _ in true }
    _ = try file.read(offset: 0, length: 10)
    let owner = try folder.descriptor("a", O_RDWR)
    var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    #expect(futimens(owner.number, &times) == 0)
    #expect(code { try file.check() } == .changedWhileReading)
  }
}
