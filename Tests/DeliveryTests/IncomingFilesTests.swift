import CLinux
import Delivery
import Foundation
import Glibc
import Synchronization
import Testing
import UnixSocket

struct IncomingFilesTests {
  private let incoming = IncomingFiles(limitBytes: 100_000, timeLimit: .milliseconds(300), pendingLimit: 2)

  private func pipeEnds() -> (SharedDescriptors, SharedDescriptors) {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    return (SharedDescriptors(FileDescriptor(owning: ends[0])), SharedDescriptors(FileDescriptor(owning: ends[1])))
  }

  private func again(_ shared: SharedDescriptors) -> FileDescriptor {
    FileDescriptor(owning: clinux_duplicate(shared.contents.numbers[0], 3))
  }

  @Test func `a file, a memory file and a pipe are read completely`() throws {
    let folder = try Folder()
    let bytes = pattern(99_999)
    try folder.write(bytes, to: "a")
    #expect(try contents(incoming.receive(folder.descriptor("a"))) == bytes)
    let memory = FileDescriptor(owning: clinux_memory_file("theirs"))
    _ = write(memory.number, bytes, bytes.count)
    #expect(try contents(incoming.receive(memory)) == bytes)
    let (reader, writer) = pipeEnds()
    let sender = Once { [end = Mutex<SharedDescriptors?>(writer)] in
      // The pipe ends when the last holder of its writing end closes it.
      guard let end = end.withLock({ $0.take() }) else { return }
      var sent = 0
      while sent < bytes.count {
        sent += bytes[sent...].withUnsafeBytes { write(end.contents.numbers[0], $0.baseAddress, min(5000, $0.count)) }
      }
    }
    _ = consume writer
    let copy = try incoming.receive(again(reader)) { Array($0.prefix(1)) }
    sender.join()
    #expect(try contents(copy) == bytes)
    #expect(copy.digest == [bytes[0]])
  }

  @Test func `R129 memory is reserved before a byte is read and held until the copy is released`() throws {
    let memory = SharedAllowance(limit: 400_000, limitPerUser: 100_000)
    let account = AllowanceOfUser(memory, user: 1)
    let folder = try Folder()
    try folder.write(pattern(60_000), to: "a")
    var first: SealedCopy? = try incoming.receive(folder.descriptor("a"), account: account)
    #expect(code { _ = try incoming.receive(folder.descriptor("a"), account: account) } == .noMemory)
    let (reader, writer) = pipeEnds()
    #expect(
      code { _ = try incoming.receive(again(reader), account: account) } == .noMemory,
      "a pipe's too, whatever comes of it")
    #expect(try incoming.receive(folder.descriptor("a"), account: AllowanceOfUser(memory, user: 2)).byteCount == 60_000)
    withExtendedLifetime(first) {}
    first = nil
    let bytes = pattern(60_000)
    #expect(write(writer.contents.numbers[0], bytes, bytes.count) == bytes.count)
    _ = consume writer
    let copy = try incoming.receive(again(reader), account: account)
    #expect(
      copy.byteCount == 60_000 && memory.take(40_000, of: 1) != nil, "a pipe's room beyond what came is given back")
  }

  @Test func `every other kind is refused with its own error`() throws {
    let folder = try Folder()
    try folder.write([1], to: "a")
    try folder.write([], to: "nothing")
    #expect(code { _ = try incoming.receive(folder.descriptor(".", O_DIRECTORY)) } == .directoryRefused)
    #expect(
      code { _ = try incoming.receive(FileDescriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))) }
        == .socketRefused)
    #expect(code { _ = try incoming.receive(FileDescriptor(owning: open("/dev/zero", O_RDONLY))) } == .deviceRefused)
    #expect(code { _ = try incoming.receive(FileDescriptor(owning: clinux_eventfd())) } == .unknownKindRefused)
    #expect(code { _ = try incoming.receive(folder.descriptor("a", O_WRONLY)) } == .notReadable)
    #expect(code { _ = try incoming.receive(folder.descriptor("a", 0o10000000)) } == .notReadable)
    #expect(code { _ = try incoming.receive(folder.descriptor("nothing")) } == .empty)
    #expect(code { _ = try incoming.receive(FileDescriptor(owning: open("/proc/self/status", O_RDONLY))) } == .empty)
  }

  @Test func `an oversized file is refused, also through a pipe or with holes`() throws {
    let folder = try Folder()
    try folder.write(pattern(100_001), to: "a")
    #expect(code { _ = try incoming.receive(folder.descriptor("a")) } == .tooLarge)
    let sparse = FileDescriptor(owning: clinux_memory_file("holes"))
    ftruncate(sparse.number, 1 << 45)
    #expect(code { _ = try incoming.receive(sparse.duplicate()) } == .tooLarge)
    let (reader, writer) = pipeEnds()
    _ = clinux_set_nonblocking(writer.contents.numbers[0], 1)
    let filler = Repeater { [bytes = pattern(4096)] in _ = write(writer.contents.numbers[0], bytes, bytes.count) }
    #expect(code { _ = try incoming.receive(again(reader)) } == .tooLarge)
    filler.stop()
  }

  @Test func `an endless pipe and a silent one end at the time limit`() throws {
    let (reader, writer) = pipeEnds()
    _ = write(writer.contents.numbers[0], [1, 2, 3] as [UInt8], 3)
    let begin = ContinuousClock.now
    #expect(code { _ = try incoming.receive(again(reader)) } == .timedOut)
    let passed = ContinuousClock.now - begin
    #expect(passed >= .milliseconds(290) && passed < .seconds(20))
    let end = ContinuousClock.now + .seconds(20)
    while incoming.pendingCount > 0, ContinuousClock.now < end { usleep(1000) }
    #expect(incoming.pendingCount == 0)
  }

  @Test func `slow senders take no more than their share of threads`() throws {
    let (reader, writer) = pipeEnds()
    let codes = Mutex<[DeliveryError.Code]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { _ in
      if let code = code({ _ = try incoming.receive(again(reader)) }) { codes.withLock { $0.append(code) } }
    }
    withExtendedLifetime(writer) {}
    // The machine may start the third only when the others are done; then all are late.
    #expect(codes.withLock { $0.count } == 3)
    #expect(codes.withLock { $0.filter { $0 == .timedOut }.count } >= 2)
  }

  @Test func `a file that grows while it is read ends with an error`() throws {
    let folder = try Folder()
    try folder.write(pattern(1000), to: "a")
    let writer = SharedDescriptors(try folder.descriptor("a", O_WRONLY | O_APPEND))
    let large = IncomingFiles(limitBytes: 1 << 30, timeLimit: .seconds(2))
    let racer = Repeater { _ = write(writer.contents.numbers[0], [1] as [UInt8], 1) }
    defer { racer.stop() }
    var seen: DeliveryError.Code?
    let end = ContinuousClock.now + .seconds(2)
    while seen == nil, ContinuousClock.now < end { seen = code { _ = try large.receive(folder.descriptor("a")) } }
    #expect(seen == .changedWhileReading)
  }
}
