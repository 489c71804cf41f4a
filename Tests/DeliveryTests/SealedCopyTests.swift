import CLinux
import Delivery
import Foundation
import Glibc
import Testing
import UnixSocket

struct SealedCopyTests {
  @Test(arguments: [0, 1, 4095, 4096, 3_000_001])
  func `a copy holds the file's bytes`(count: Int) throws {
    let folder = try Folder()
    let bytes = pattern(count)
    try folder.write(bytes, to: "a")
    let copy = try folder.copy("a")
    #expect(copy.byteCount == count)
    #expect(try contents(copy) == bytes)
  }

  @Test func `R140 a later write to the owner's file does not show`() throws {
    let folder = try Folder()
    let bytes = pattern(10_000)
    try folder.write(bytes, to: "a")
    let copy = try folder.copy("a")
    let owner = try folder.descriptor("a", O_RDWR)
    #expect(pwrite(owner.number, [0xFF, 0xFF] as [UInt8], 2, 0) == 2)
    ftruncate(owner.number, 10)
    #expect(try contents(copy) == bytes)
  }

  @Test func `a delivered descriptor is read-only, sealed and has the constant label`() throws {
    let folder = try Folder()
    try folder.write(pattern(5000), to: "grandmother.jpg")
    let copy = try folder.copy("grandmother.jpg")
    let number = copy.descriptor.number
    #expect(clinux_open_flags(number) & O_ACCMODE == O_RDONLY)
    #expect(clinux_is_immutable(number) == 1)
    #expect(clinux_seals(number) & 0xF == 0xF)
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
    #expect(target == "/memfd:photo (deleted)")
    #expect(try FileFacts(of: copy.descriptor).mode & 0o777 == 0o444)
  }

  @Test func `the hasher sees the whole sealed content`() throws {
    let folder = try Folder()
    let bytes = pattern(100_000)
    try folder.write(bytes, to: "a")
    let copy = try SealedCopy.copying(folder.root().open("a"), limitBytes: 100_000) { Array($0.suffix(32)) }
    #expect(copy.digest == Array(bytes.suffix(32)))
  }

  @Test func `the limit is exact`() throws {
    let folder = try Folder()
    try folder.write(pattern(1001), to: "a")
    let file = try folder.root().open("a")
    #expect(code { _ = try SealedCopy.copying(file, limitBytes: 1001) } == nil)
    #expect(code { _ = try SealedCopy.copying(file, limitBytes: 1000) } == .tooLarge)
  }

  @Test func `a constantly changing file is an error, and is copied once it rests`() throws {
    let folder = try Folder()
    // Large enough that a writer on a busy machine runs during the copy.
    try folder.write(pattern(4 << 20), to: "a")
    let writer = SharedDescriptors(try folder.descriptor("a", O_WRONLY | O_APPEND))
    let file = try folder.root().open("a")
    let racer = Repeater { _ = write(writer.contents.numbers[0], [1] as [UInt8], 1) }
    var seen: DeliveryError.Code?
    let end = ContinuousClock.now + .seconds(20)
    while seen == nil, ContinuousClock.now < end {
      seen = code { _ = try SealedCopy.copying(file, limitBytes: 1 << 30) }
    }
    racer.stop()
    #expect(seen == .changedWhileReading)
    #expect(code { _ = try SealedCopy.copying(file, limitBytes: 1 << 30) } == nil)
  }

  @Test func `only a sealed memory file is accepted from a worker`() throws {
    let folder = try Folder()
    try folder.write([1, 2, 3], to: "a")
    #expect(code { _ = try SealedCopy.adopting(folder.descriptor("a"), limitBytes: 10) } == .notReadable)
    let open = FileDescriptor(owning: clinux_memory_file("x"))
    _ = write(open.number, [1, 2, 3] as [UInt8], 3)
    #expect(code { _ = try SealedCopy.adopting(open.duplicate(), limitBytes: 10) } == .notReadable)
    #expect(clinux_seal(open.number) == 0)
    #expect(code { _ = try SealedCopy.adopting(open.duplicate(), limitBytes: 2) } == .tooLarge)
    let copy = try SealedCopy.adopting(open, limitBytes: 3)
    #expect(try contents(copy) == [1, 2, 3])
    #expect(clinux_open_flags(copy.descriptor.number) & O_ACCMODE == O_RDONLY)
  }

  @Test func `R141 pieces together equal the file, and no range traps or exceeds it`() throws {
    let folder = try Folder()
    let bytes = pattern(1_300_000)
    try folder.write(bytes, to: "a")
    let copy = try folder.copy("a")
    var whole: [UInt8] = []
    while true {
      let piece = try InlineReader.read(copy, offset: Int64(whole.count), length: InlineReader.pieceLimitBytes)
      if piece.isEmpty { break }
      whole += piece
    }
    #expect(whole == bytes)
    #expect(try InlineReader.read(copy, offset: 1_299_999, length: 100) == [bytes[1_299_999]])
    #expect(try InlineReader.read(copy, offset: .max, length: 100) == [])
    #expect(try InlineReader.read(copy, offset: 5, length: 0) == [])
    for (offset, length) in [(-1, 1), (0, -1), (Int64.min, Int64.max), (0, InlineReader.pieceLimitBytes + 1)] {
      #expect(code { _ = try InlineReader.read(copy, offset: offset, length: length) } == .invalidRange)
    }
  }
}
