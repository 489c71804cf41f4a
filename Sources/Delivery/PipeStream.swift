import CLinux
import Glibc
import Synchronization
package import UnixSocket

/// Bytes on their way to an app through a pipe so small that the broker stays in the loop: progress
/// is what really left, and a revocation ends it at once.
///
/// Driven either by an event loop (`pump()` whenever `writerNumber` is writable) or by a worker
/// (`run()`), not by both. `stop()` may come from any thread at any time and never waits for the
/// source: when it has returned no further byte leaves, and what the app had not yet read out of
/// the pipe has been taken back.
package final class PipeStream: Sendable {
  /// Fills the buffer from an offset into the content and answers how many bytes; 0 is the end. It
  /// may block when a worker drives the stream, and must not when a loop does: there it throws
  /// `notCached` for what has to be waited for.
  package typealias Source = @Sendable (Int64, UnsafeMutableRawBufferPointer) throws(DeliveryError) -> Int
  /// Told, by the driving thread, how many bytes have left, and how many there are where that is known.
  package typealias Progress = @Sendable (_ departed: Int64, _ total: Int64?) -> Void

  /// How far the stream has come.
  package enum Step: Sendable, Equatable {
    /// The pipe is full: pump again when it is writable.
    case blocked
    /// The budget is used up: pump again when others had their turn.
    case yielded
    /// The source has nothing at hand: pump again when it has what comes from this offset on.
    case starved(Int64)
    /// All bytes left and the pipe is closed.
    case finished
    /// `stop()` ended it.
    case stopped
    /// The source failed, or the reader went away.
    case failed(DeliveryError)

    package var isEnd: Bool {
      switch self {
      case .blocked, .yielded, .starved: false
      case .finished, .stopped, .failed: true
      }
    }
  }

  /// What one pipe holds at most; more of a stream cannot be beyond the broker's reach. The app can
  /// enlarge the pipe, and nothing more comes into it by that.
  package static let capacityBytes = 4096
  /// How often the app may enlarge the pipe: each time it is made small again, which costs the
  /// broker as much as the app.
  private static let enlargements = 16
  private static let pieceBytes = 16 << 10

  private struct Channel: ~Copyable {
    var writer: FileDescriptor?
    var departed: Int64 = 0
    var end: Step?
    var enlargements = 0
    /// A worker polls the writer: only that worker may close it, or the number could be another file's by then.
    var isPolled = false
  }

  private struct Pump {
    var pending: [UInt8] = []
    var taken = 0
    var offset: Int64 = 0
    var sourceEnded = false
  }

  private let channel: Mutex<Channel>
  private let pumping = Mutex(Pump())
  private let source: Source
  private let total: Int64?
  private let progress: Progress?
  /// For registering with an event loop. Unregister before `stop()`, which closes it.
  package let writerNumber: Int32

  private init(writer: consuming FileDescriptor, total: Int64?, source: @escaping Source, progress: Progress?) {
    writerNumber = writer.number
    channel = Mutex(Channel(writer: writer))
    self.source = source
    self.total = total
    self.progress = progress
  }

  /// Makes the pipe.
  ///
  /// - Parameters:
  ///   - total: How many bytes there are, where known: a source that ends earlier has failed, one that goes on is cut.
  ///   - body: Gets the stream and the reading end, which goes to the app.
  /// - Throws: `noSpace`, `system`.
  package static func open<R: ~Copyable>(
    total: Int64?, source: @escaping Source, progress: Progress? = nil,
    _ body: (PipeStream, consuming FileDescriptor) -> R
  ) throws(DeliveryError) -> R {
    ignoreBrokenPipes
    var reader: Int32 = -1
    var writer: Int32 = -1
    _ = try DeliveryError.check(clinux_small_pipe(Int32(capacityBytes), &reader, &writer), "Making a pipe")
    let stream = PipeStream(
      writer: FileDescriptor(owning: writer), total: total, source: source, progress: progress)
    return body(stream, FileDescriptor(owning: reader))
  }

  /// The source that reads a sealed copy.
  package static func source(of copy: SealedCopy) -> Source {
    { (offset, buffer) throws(DeliveryError) in
      let count = pread(copy.descriptor.number, buffer.baseAddress, buffer.count, off_t(offset))
      guard count >= 0 else { throw .system(errno, "Reading a copy") }
      return count
    }
  }

  /// How many bytes left the broker; after `stop()` without those that were taken back.
  package var departed: Int64 { channel.withLock { $0.departed } }

  /// Moves bytes until the pipe is full, the budget is used up, or the stream has ended.
  package func pump(budgetBytes: Int = 64 << 10) -> Step {
    pumping.withLock { pump in
      var budget = budgetBytes
      while true {
        if let end = channel.withLock({ $0.end }) { return end }
        if pump.taken == pump.pending.count, let step = refill(&pump) { return step.isEnd ? finish(step) : step }
        let (step, written) = write(pump.pending[pump.taken...])
        pump.taken += written
        if written > 0 { progress?(departed, total) }
        if let step { return step }
        budget -= written
        if budget <= 0 { return .yielded }
      }
    }
  }

  /// Drives the stream to its end. Blocks: for a worker.
  package func run() -> Step {
    while true {
      let step = pump()
      guard step == .blocked else {
        if case .starved = step { return finish(.failed(.notCached)) }
        if step.isEnd { return step }
        continue
      }
      guard startPolling() else { continue }
      var poll = pollfd(fd: writerNumber, events: Int16(POLLOUT), revents: 0)
      // Emptying the pipe in `stop()` ends the wait. The limit is for a reader that refills it by force.
      _ = Glibc.poll(&poll, 1, 100)
      stopPolling()
    }
  }

  /// Ends the stream now: a revocation, a cancellation, a lost connection. Further calls change nothing.
  ///
  /// - Returns: How many bytes left and could not be taken back.
  @discardableResult
  package func stop() -> Int64 {
    channel.withLock { channel in
      guard channel.end == nil else { return channel.departed }
      channel.end = .stopped
      channel.departed -= Self.takeBack(from: writerNumber)
      if !channel.isPolled { channel.writer = nil }
      return channel.departed
    }
  }

  /// Reads what is still in the pipe through a reading end of our own.
  private static func takeBack(from writer: Int32) -> Int64 {
    let number = clinux_reopen_pipe_reader(writer)
    guard number >= 0 else { return 0 }
    let reader = FileDescriptor(owning: number)
    // All that is in it now and no further: an app can hold a writing end that it opened itself,
    // put bytes of its own before ours, and feed this loop.
    let held = Int64(max(0, clinux_pipe_held(reader.number)))
    var total: Int64 = 0
    withUnsafeTemporaryAllocation(byteCount: capacityBytes, alignment: 8) { buffer in
      while total < held {
        let count = read(reader.number, buffer.baseAddress, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        total += Int64(count)
      }
    }
    return min(total, Int64(capacityBytes))
  }

  /// nil where there is something to write.
  private func refill(_ pump: inout Pump) -> Step? {
    guard !pump.sourceEnded else { return .finished }
    let wanted = Int(min(Int64(Self.pieceBytes), total.map { $0 - pump.offset } ?? .max))
    guard wanted > 0 else { return .finished }
    do throws(DeliveryError) {
      let offset = pump.offset
      var failure: DeliveryError?
      pump.pending = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        do throws(DeliveryError) {
          count = min(max(try source(offset, UnsafeMutableRawBufferPointer(buffer)), 0), wanted)
        } catch { failure = error }
      }
      if let failure { throw failure }
    } catch {
      pump.pending = []
      pump.taken = 0
      return error.code == .notCached ? .starved(pump.offset) : .failed(error)
    }
    pump.taken = 0
    pump.offset += Int64(pump.pending.count)
    guard pump.pending.isEmpty else { return nil }
    pump.sourceEnded = true
    return total == nil ? .finished : .failed(.sourceEndedEarly)
  }

  /// The one place where bytes leave: under the lock that `stop()` takes.
  private func write(_ bytes: ArraySlice<UInt8>) -> (Step?, Int) {
    channel.withLock { channel in
      if let end = channel.end { return (end, 0) }
      var wasEnlarged: Int32 = 0
      let room = Int(clinux_pipe_room(writerNumber, Int32(Self.capacityBytes), &wasEnlarged))
      if wasEnlarged != 0 { channel.enlargements += 1 }
      guard room >= 0, channel.enlargements <= Self.enlargements else {
        return (
          fail(
            &channel, .system(room < 0 ? Int32(-room) : EBUSY, "Writing into a pipe that is enlarged again and again")),
          0
        )
      }
      guard room > 0 else {
        if hasReader { return (.blocked, 0) }
        return (fail(&channel, .system(EPIPE, "Writing into a pipe")), 0)
      }
      let count = bytes.withUnsafeBytes { Glibc.write(writerNumber, $0.baseAddress, min($0.count, room)) }
      if count >= 0 {
        channel.departed += Int64(count)
        return (nil, count)
      }
      let error = errno
      if error == EAGAIN { return (.blocked, 0) }
      if error == EINTR { return (nil, 0) }
      return (fail(&channel, .system(error, "Writing into a pipe")), 0)
    }
  }

  private func fail(_ channel: inout Channel, _ error: DeliveryError) -> Step {
    channel.end = .failed(error)
    channel.writer = nil
    return .failed(error)
  }

  /// A full pipe is not written into, which would tell; and one without a reader counts as writable again and again.
  private var hasReader: Bool {
    var poll = pollfd(fd: writerNumber, events: 0, revents: 0)
    return Glibc.poll(&poll, 1, 0) <= 0 || poll.revents & Int16(POLLERR) == 0
  }

  private func finish(_ end: Step) -> Step {
    channel.withLock { channel in
      if channel.end == nil {
        channel.end = end
        channel.writer = nil
      }
      return channel.end ?? end
    }
  }

  private func startPolling() -> Bool {
    channel.withLock { channel in
      channel.isPolled = channel.end == nil
      return channel.isPolled
    }
  }

  private func stopPolling() {
    channel.withLock { channel in
      channel.isPolled = false
      if channel.end != nil { channel.writer = nil }
    }
  }

  /// A reader that goes away must not end the daemon. A handler of the program's own is left alone.
  private static let ignoreBrokenPipes: Void = {
    var action = sigaction()
    guard sigaction(SIGPIPE, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    _ = signal(SIGPIPE, SIG_IGN)
  }()
}
