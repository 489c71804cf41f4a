import CLinux
import Glibc
package import Monitor
import Synchronization
import Varlink

/// A connection for programs that wait: clients, tools, plugin hosts and workers. Whole messages, each ended by a NUL.
///
/// One thread may send while another receives; two senders, or two receivers, take turns. `shutdown` from any thread
/// wakes both.
package final class BlockingConnection: Sendable {
  private let descriptor: FileDescriptor
  private let assembly: Mutex<FrameAssembly>
  private let sending = Mutex<Bool>(false)

  /// The largest message taken by default: 16 MiB.
  package static let defaultLimitBytes = 16 << 20
  /// How much one system call reads.
  private static let pieceBytes = 65_536

  /// Connects to the socket at `path`.
  ///
  /// - Parameter timeout: how long a server with a full queue may keep us waiting.
  /// - Throws: `notServed`, `pathTooLong`, `timedOut`, `system`.
  package convenience init(path: String, timeout: Duration, limitBytes: Int = defaultLimitBytes) throws(UnixSocketError)
  {
    guard !path.utf8.contains(0), !path.isEmpty else { throw .pathTooLong() }
    let deadline = MonotonicTime.after(timeout)
    let socket = try FileDescriptor(result: clinux_socket(0), of: "Making a socket")
    var result: Int32
    repeat {
      // A blocking connect waits for room in the server's queue as long as the send timeout allows.
      _ = clinux_set_send_timeout(socket.number, deadline.socketMicroseconds)
      result = clinux_connect(socket.number, path)
    } while result == -EINTR && !deadline.hasPassed
    switch -result {
    case 0: break
    case ENOENT, ECONNREFUSED, EACCES, ENOTSOCK: throw .notServed(-result)
    case ENAMETOOLONG: throw .pathTooLong()
    case EAGAIN, EINTR: throw .timedOut()
    default: throw .system("Connecting", -result)
    }
    try self.init(socket, limitBytes: limitBytes)
  }

  /// Takes over a connected socket, such as the end of a socket pair; makes it nonblocking, as deadlines need.
  ///
  /// - Throws: `system`.
  package init(_ socket: consuming FileDescriptor, limitBytes: Int = defaultLimitBytes) throws(UnixSocketError) {
    try socket.setNonblocking(true)
    descriptor = socket
    assembly = Mutex(FrameAssembly(FrameDecoder(frameLimitBytes: limitBytes)))
  }

  /// The descriptor's number, for polling; it stays this object's.
  package var number: Int32 { descriptor.number }

  /// Who is at the other end, for a server of few connections or a child that checks its parent.
  ///
  /// - Throws: as `PeerIdentity` does.
  package func peer() throws(UnixSocketError) -> PeerIdentity { try PeerIdentity(ofSocket: descriptor) }

  /// Sends one message and its ending NUL, all of it.
  ///
  /// After an error in the middle of a message nothing more can be sent: the connection is shut down.
  /// - Parameter message: without NUL. The descriptors go with its first byte; the caller keeps its own.
  /// - Throws: `closed`, `timedOut`, `descriptorsRefused`, `system`.
  package func send(
    _ message: borrowing Span<UInt8>, descriptors: borrowing OwnedDescriptors = OwnedDescriptors(),
    deadline: MonotonicTime = .never
  ) throws(UnixSocketError) {
    var bytes = [UInt8]()
    bytes.reserveCapacity(message.count + 1)
    message.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    bytes.append(0)
    let numbers = descriptors.numbers
    // The lock is held while waiting: a message must not be cut by another one.
    let failure = sending.withLock { isBroken -> UnixSocketError? in
      guard !isBroken else { return .closed() }
      var sent = 0
      do throws(UnixSocketError) {
        while sent < bytes.count { sent += try sendPiece(bytes, from: sent, numbers, deadline) }
        return nil
      } catch {
        isBroken = sent > 0
        return error
      }
    }
    guard let failure else { return }
    if case .descriptorsRefused = failure.code { throw failure }
    if sending.withLock({ $0 }) { shutdown() }
    throw failure
  }

  /// Sends what the kernel takes now, waiting for room first where there is none.
  private func sendPiece(
    _ bytes: [UInt8], from start: Int, _ descriptors: [Int32],
    _ deadline: MonotonicTime
  ) throws(UnixSocketError) -> Int {
    while true {
      let count = start == 0 ? descriptors.count : 0
      let taken = bytes.withUnsafeBytes { all in
        let rest = UnsafeRawBufferPointer(rebasing: all[start...])
        return clinux_send(number, rest.baseAddress, rest.count, descriptors, count)
      }
      if taken >= 0 { return taken }
      switch Int32(truncatingIfNeeded: -taken) {
      case EAGAIN: try wait(for: POLLOUT, deadline)
      case EINTR: continue
      case EPIPE, ECONNRESET: throw .closed(Int32(truncatingIfNeeded: -taken))
      case EPERM where count > 0, ETOOMANYREFS: throw .descriptorsRefused(Int32(truncatingIfNeeded: -taken))
      case let cause: throw .system("Sending", cause)
      }
    }
  }

  /// The next message; nil when the other end closed after a whole one.
  ///
  /// - Throws: `closed` when the stream ends inside a message, `timedOut` (nothing is lost: ask
  ///   again), `messageTooLarge`, `descriptorsUnexpected` when more descriptors came than this
  ///   process can hold, `system`.
  package func receive(deadline: MonotonicTime = .never) throws(UnixSocketError) -> Frame? {
    var failure: UnixSocketError?
    let frame = assembly.withLock { assembly -> Frame? in
      do throws(UnixSocketError) {
        return try receive(&assembly, deadline)
      } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    return frame
  }

  /// Whether the other end has sent something that is not received yet; for a protocol in which it
  /// speaks only when asked.
  package var hasUnreceived: Bool {
    assembly.withLock { assembly in
      if assembly.decoder.bufferedBytes > 0 { return true }
      var byte: UInt8 = 0
      return recv(number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
  }

  /// Whether the other end is closed, or this one was shut down.
  package var isHungUp: Bool {
    var poll = pollfd(fd: number, events: 0, revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0
  }

  private func receive(_ assembly: inout FrameAssembly, _ deadline: MonotonicTime) throws(UnixSocketError) -> Frame? {
    while true {
      if let frame = assembly.next() { return frame }
      // Never more than the decoder takes: the end of a message at the limit, and nothing behind it.
      let room = assembly.decoder.frameLimitBytes + 1 - assembly.decoder.bufferedBytes
      var piece = [UInt8](repeating: 0, count: min(Self.pieceBytes, max(room, 1)))
      var descriptors = OwnedDescriptors()
      let (count, isTruncated) = piece.withUnsafeMutableBytes {
        DescriptorMessage.receive(from: number, into: $0, descriptors: &descriptors)
      }
      if isTruncated { throw .descriptorsUnexpected() }
      if count > 0 {
        try piece.span.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(UnixSocketError) in
          try assembly.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]), descriptors: descriptors.takeAll())
        }
        continue
      }
      switch Int32(truncatingIfNeeded: -count) {
      case 0:
        if assembly.isInsideMessage { throw .closed() }
        return nil
      case EAGAIN: try wait(for: POLLIN, deadline)
      case EINTR: continue
      case ECONNRESET: throw .closed(ECONNRESET)
      case let cause: throw .system("Receiving", cause)
      }
    }
  }

  private func wait(for events: Int32, _ deadline: MonotonicTime) throws(UnixSocketError) {
    var poll = pollfd(fd: number, events: Int16(events), revents: 0)
    while true {
      let ready = Glibc.poll(&poll, 1, deadline.pollMilliseconds)
      if ready > 0 { return }
      if ready < 0, errno != EINTR { throw .system("Waiting for a socket", errno) }
      if deadline.hasPassed { throw .timedOut() }
    }
  }

  /// Ends both directions, from any thread: whoever waits is woken.
  package func shutdown() { _ = Glibc.shutdown(number, Int32(SHUT_RDWR)) }
}
