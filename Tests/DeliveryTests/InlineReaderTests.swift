import Glibc
import Testing
import UnixSocket

@testable import Delivery

struct InlineReaderTests {
  @Test func `R141 pieces of a file are read where it lies, and none that was changed while it was read`() throws {
    let folder = try Folder()
    let bytes = pattern(1_300_000)
    try folder.write(bytes, to: "a")
    let root = try folder.root()
    var whole: [UInt8] = []
    while true {
      let piece = try #require(
        try InlineReader.read(root.open("a"), offset: Int64(whole.count), length: InlineReader.pieceLimitBytes) { _ in true })
      if piece.isEmpty { break }
      whole += piece
    }
    #expect(whole == bytes)

    let file = try root.open("a")
    let listed = file.facts
    #expect(try InlineReader.read(file, offset: 0, length: 10) { $0.byteCount == 5 } == nil, "another state than the wanted one")
    var looks = 0
    let torn = try InlineReader.read(file, offset: 0, length: 10) { facts in
      looks += 1
      if looks == 1, let owner = try? folder.descriptor("a", O_RDWR) { ftruncate(owner.number, 100) }
      return !facts.contentDiffers(from: listed)
    }
    #expect(torn == nil && looks == 2, "it is looked at again after the piece was read")
    #expect(code { _ = try InlineReader.read(root.open("a"), offset: -1, length: 10) { _ in true } } == .invalidRange)
  }
}
