import Delivery
import Foundation
import Glibc
import Synchronization
import Testing
import UnixSocket

struct PipeStreamTests {
  /// Returns a stream of these bytes and the app's end.
  private func open(
    _ bytes: [UInt8], total: Int64?, progress: PipeStream.Progress? = nil
  ) throws -> (PipeStream, SharedDescriptors) {
    try PipeStream.open(
      total: total,
      source: { (offset, buffer) throws(DeliveryError) in
        let piece = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: piece)
        return piece.count
      }, progress: progress
    ) { stream, reader in Box((stream, SharedDescriptors(reader))) }.value
  }

  private struct Box {
    let value: (PipeStream, SharedDescriptors)
    init(_ value: (PipeStream, SharedDescriptors)) { self.value = value }
  }

  private func drain(_ reader: SharedDescriptors) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while case let count = read(reader.contents.numbers[0], &piece, piece.count), count > 0 { all += piece[..<count] }
    return all
  }

  @Test(arguments: [true, false])
  func `R91 all bytes arrive, and progress counts sent bytes`(knowsTotal: Bool) throws {
    let bytes = pattern(300_000)
    let seen = Mutex<[Int64]>([])
    let (stream, reader) = try open(bytes, total: knowsTotal ? 300_000 : nil) { departed, total in
      #expect(total == (knowsTotal ? 300_000 : nil))
      seen.withLock { $0.append(departed) }
    }
    let racer = Once { #expect(stream.run() == .finished) }
    #expect(drain(reader) == bytes)
    racer.join()
    #expect(stream.departed == 300_000)
    seen.withLock { seen in
      #expect(seen == seen.sorted())
      #expect(seen.last == 300_000)
      #expect(seen.count >= 300_000 / (2 * PipeStream.capacityBytes))
    }
  }

  @Test func `R141 a stream pauses while its source has no bytes and resumes there`() throws {
    let bytes = pattern(3_000)
    let available = Mutex(1_000)
    let box = try PipeStream.open(
      total: 3_000,
      source: { (offset, buffer) throws(DeliveryError) in
        let piece = bytes.prefix(available.withLock { $0 }).dropFirst(Int(offset)).prefix(buffer.count)
        guard !piece.isEmpty else { throw .notCached }
        buffer.copyBytes(from: piece)
        return piece.count
      }
    ) { stream, reader in Box((stream, SharedDescriptors(reader))) }
    let (stream, reader) = box.value
    #expect(stream.pump() == .starved(1_000) && stream.pump() == .starved(1_000) && stream.departed == 1_000)
    available.withLock { $0 = 3_000 }
    #expect(stream.pump() == .finished && stream.departed == 3_000)
    #expect(drain(reader) == bytes)
  }

  @Test func `the pipe never holds more than one page, and pumping reports a full pipe`() throws {
    let (stream, reader) = try open(pattern(100_000), total: 100_000)
    #expect(stream.pump() == .blocked)
    #expect(stream.departed <= Int64(PipeStream.capacityBytes))
    var waiting: Int32 = 0
    _ = ioctl(reader.contents.numbers[0], UInt(FIONREAD), &waiting)
    #expect(Int64(waiting) == stream.departed)
    stream.stop()
  }

  @Test(arguments: [false, true]) func `R92 a stream whose reader closes the full pipe ends`(isDrivenByWorker: Bool)
    throws
  {
    let (stream, reader) = try open(pattern(100_000), total: 100_000)
    #expect(stream.pump() == .blocked)
    let number = reader.contents.numbers[0]
    // dup2 closes the stream's descriptor, and the number belongs to the test.
    #expect(dup2(STDERR_FILENO, number) == number)
    let steps = Mutex<[PipeStream.Step]>([])
    let racer = Once { steps.withLock { $0 = [isDrivenByWorker ? stream.run() : stream.pump()] } }
    let end = ContinuousClock.now + .seconds(10)
    while steps.withLock({ $0.isEmpty }), ContinuousClock.now < end { usleep(1_000) }
    #expect(steps.withLock { $0.map { if case .failed = $0 { true } else { false } } } == [true])
    stream.stop()
    racer.join()
  }

  @Test func `nothing leaves after stop, and unread bytes are taken back`() throws {
    let (stream, reader) = try open(pattern(100_000), total: 100_000)
    #expect(stream.pump() == .blocked)
    var piece = [UInt8](repeating: 0, count: 1000)
    let taken = read(reader.contents.numbers[0], &piece, 1000)
    #expect(taken == 1000)
    #expect(stream.stop() == 1000)
    #expect(drain(reader).isEmpty)
    #expect(stream.pump() == .stopped)
    #expect(stream.stop() == 1000)
  }

  @Test func `R134 enlarging the pipe gains an app no lead, and nothing after stop`() throws {
    let bytes = pattern(300_000)
    let (stream, reader) = try open(bytes, total: 300_000)
    let number = reader.contents.numbers[0]
    var read: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1_000)
    for _ in 0..<10 {
      #expect(setPipeSize(number, 1 << 20) >= 1 << 20)
      for _ in 0..<8 { #expect(stream.pump() == .blocked) }
      #expect(stream.departed - Int64(read.count) <= Int64(PipeStream.capacityBytes))
      let count = Glibc.read(number, &piece, piece.count)
      read += piece.prefix(max(0, count))
    }
    #expect(read.count > PipeStream.capacityBytes)
    #expect(read.elementsEqual(bytes.prefix(read.count)))
    _ = setPipeSize(number, 1 << 20)
    _ = stream.pump()
    #expect(stream.stop() == Int64(read.count))
    #expect(drain(reader).isEmpty)
  }

  @Test func `an app that enlarges the pipe endlessly loses the stream and occupies no worker`() throws {
    let (stream, reader) = try open(pattern(300_000), total: 300_000)
    let number = reader.contents.numbers[0]
    var step = stream.pump()
    for _ in 0..<100 where !step.isEnd {
      _ = setPipeSize(number, 1 << 20)
      step = stream.pump()
    }
    #expect({ if case .failed = step { true } else { false } }())
  }

  @Test func `an app's own bytes in the pipe hold back none of the stream's`() throws {
    let (stream, reader) = try open(pattern(300_000), total: 300_000)
    let number = reader.contents.numbers[0]
    #expect(stream.pump() == .blocked)
    _ = setPipeSize(number, 1 << 20)
    let writer = Glibc.open("/proc/self/fd/\(number)", O_WRONLY | O_NONBLOCK)
    defer { close(writer) }
    #expect(write(writer, pattern(200_000), 200_000) > 100_000)
    #expect(stream.pump() == .blocked, "the pipe is full of something else")
    stream.stop()
    close(writer)
    #expect(drain(reader).isEmpty)
  }

  /// F_SETPIPE_SZ, which the headers define for GNU programs only.
  private func setPipeSize(_ number: Int32, _ size: Int32) -> Int32 { fcntl(number, 1_031, size) }

  @Test func `a stop from another thread ends a worker waiting for its reader`() throws {
    let (stream, reader) = try open(pattern(100_000), total: 100_000)
    let racer = Once { #expect(stream.run() == .stopped) }
    while stream.departed == 0 { usleep(1000) }
    usleep(20_000)
    stream.stop()
    racer.join()
    #expect(drain(reader).isEmpty)
  }

  @Test func `stop does not wait for a hanging source`() throws {
    let gate = DispatchSemaphore(value: 0)
    let (stream, reader) = try PipeStream.open(
      total: nil,
      source: { (_, _) throws(DeliveryError) in
        gate.wait()
        return 10
      }
    ) { stream, reader in Box((stream, SharedDescriptors(reader))) }.value
    let racer = Once { #expect(stream.run() == .stopped) }
    usleep(10_000)
    #expect(stream.stop() == 0)
    #expect(drain(reader).isEmpty)
    gate.signal()
    racer.join()
    #expect(stream.departed == 0)
  }

  @Test func `a source that ends early fails, and one that continues is cut off`() throws {
    let (short, shortReader) = try open(pattern(10), total: 11)
    #expect({ if case .failed(let error) = short.run() { error.code == .sourceFailed } else { false } }())
    #expect(drain(shortReader).count == 10)
    let (long, longReader) = try open(pattern(12), total: 11)
    #expect(long.run() == .finished)
    #expect(drain(longReader).count == 11)
  }

  @Test func `a departing reader ends the stream and not the process`() throws {
    var pair: (PipeStream, SharedDescriptors)? = try open(pattern(100_000), total: nil)
    let stream = try #require(pair?.0)
    pair = nil
    #expect({ if case .failed(let error) = stream.run() { error.code == .readerGone } else { false } }())
  }

  @Test func `a budget gives others their turn`() throws {
    let (stream, reader) = try open(pattern(3000), total: 3000)
    _ = stream.pump(budgetBytes: 1)
    let racer = Once { while !stream.pump(budgetBytes: 1000).isEnd { usleep(100) } }
    #expect(drain(reader).count == 3000)
    racer.join()
  }
}

extension PipeStream {
  /// Pumps to the end, as an event loop does.
  fileprivate func run() -> Step {
    while true {
      let step = pump()
      if step.isEnd { return step }
      if step == .blocked { usleep(1_000) }
    }
  }
}
