import CLinux
import Glibc
import Synchronization
package import UnixSocket

/// A stream of bytes to an app, through a pipe so small that the broker controls delivery. Progress
/// counts bytes that really left, and a revocation ends the stream at once.
///
/// Driven by an event loop: `pump()` whenever `writerNumber` is writable. `stop()` may be called on
/// any thread at any time and never waits for the source. After it returns no byte leaves, and bytes
/// unread in the pipe have been taken back.
package final class PipeStream: Sendable {
  /// Fills the buffer from an offset and returns the number of bytes; 0 at the end. It throws
  /// `notCached` instead of waiting.
  package typealias Source = @Sendable (Int64, UnsafeMutableRawBufferPointer) throws(DeliveryError) -> Int
  /// Called on the driving thread with the bytes delivered so far, and the total if known.
  package typealias Progress = @Sendable (_ departed: Int64, _ total: Int64?) -> Void

  /// The result of one `pump()`.
  package enum Step: Sendable, Equatable {
    /// The pipe is full: pump again when it is writable.
    case blocked
    /// The budget is used up: pump again after others had their turn.
    case yielded
    /// The source has no bytes yet: pump again when it has those from this offset on.
    case starved(Int64)
    /// All bytes left and the pipe is closed.
    case finished
    /// `stop()` ended the stream.
    case stopped
    /// The source failed, or the reader closed its end.
    case failed(DeliveryError)

    package var isEnd: Bool {
      switch self {
      case .blocked, .yielded, .starved: false
      case .finished, .stopped, .failed: true
      }
    }
  }

  /// The pipe's capacity, the greatest number of bytes beyond the broker's control. If an app
  /// enlarges the pipe, no more bytes enter it.
  package static let capacityBytes = 4096
  /// The greatest number of times that the app may enlarge the pipe. Shrinking it again costs the
  /// broker as much as enlarging costs the app.
  private static let enlargements = 16
  private static let pieceBytes = 16 << 10

  private struct Channel: ~Copyable {
    var writer: FileDescriptor?
    var departed: Int64 = 0
    var end: Step?
    var enlargements = 0
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
  /// For registration with an event loop. Unregister it before `stop()`, which closes it.
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
  ///   - total: The number of bytes, if known: a shorter source fails, a longer one is cut.
  ///   - body: Receives the stream and the read end, which is for the app.
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

  /// The source for a sealed copy.
  package static func source(of copy: SealedCopy) -> Source {
    { (offset, buffer) throws(DeliveryError) in
      let count = pread(copy.descriptor.number, buffer.baseAddress, buffer.count, off_t(offset))
      guard count >= 0 else { throw .system(errno, "Reading a copy") }
      return count
    }
  }

  /// The number of bytes delivered; after `stop()` without those taken back.
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

  /// Ends the stream at once, after a revocation, cancellation or disconnect. Further calls have no
  /// effect.
  ///
  /// - Returns: The number of bytes that left for good.
  @discardableResult
  package func stop() -> Int64 {
    channel.withLock { channel in
      guard channel.end == nil else { return channel.departed }
      channel.end = .stopped
      channel.departed -= Self.takeBack(from: writerNumber)
      channel.writer = nil
      return channel.departed
    }
  }

  /// Reads the unread bytes back through a read end of its own.
  private static func takeBack(from writer: Int32) -> Int64 {
    let number = clinux_reopen_pipe_reader(writer)
    guard number >= 0 else { return 0 }
    let reader = FileDescriptor(owning: number)
    // Only the bytes present now: an app can open a write end itself, insert its own bytes, and
    // keep this loop busy.
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

  /// Nil if there are bytes to write.
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

  /// The only place where bytes leave, under the lock that `stop()` takes.
  private func write(_ bytes: ArraySlice<UInt8>) -> (Step?, Int) {
    channel.withLock { channel in
      if let end = channel.end { return (end, 0) }
      var wasEnlarged: Int32 = 0
      let room = Int(clinux_pipe_room(writerNumber, Int32(Self.capacityBytes), &wasEnlarged))
      if wasEnlarged != 0 { channel.enlargements += 1 }
      guard room >= 0, channel.enlargements <= Self.enlargements else {
        return (
          fail(
            &channel, .system(room < 0 ? Int32(-room) : EBUSY, "Writing into a pipe whose size keeps growing")),
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

  /// A full pipe is not written to, so a missing reader shows only here. Without one the pipe would
  /// be polled as writable forever.
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

  /// A closed reader must not end the daemon. Keeps the program's own signal handler, if it has
  /// one.
  private static let ignoreBrokenPipes: Void = {
    var action = sigaction()
    guard sigaction(SIGPIPE, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    _ = signal(SIGPIPE, SIG_IGN)
  }()
}
