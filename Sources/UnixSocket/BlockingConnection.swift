import CLinux
import Glibc
package import Monitor
import Synchronization
import Varlink

/// A blocking connection for clients, tools, plugin hosts and workers, of whole messages that each
/// end with a NUL.
///
/// One thread may send while another receives. Two senders, or two receivers, wait for each other.
/// `shutdown` from any thread wakes both.
package final class BlockingConnection: Sendable {
  private let descriptor: FileDescriptor
  private let assembly: Mutex<FrameAssembly>
  private let sending = Mutex<Bool>(false)

  /// The default limit of a received message: 16 MiB.
  package static let defaultLimitBytes = 16 << 20
  private static let pieceBytes = 65_536

  /// Connects to the socket at `path`.
  ///
  /// - Parameter timeout: the longest wait for a server with a full queue.
  /// - Throws: `notServed`, `pathTooLong`, `timedOut`, `system`.
  package convenience init(path: String, timeout: Duration, limitBytes: Int = defaultLimitBytes) throws(UnixSocketError)
  {
    guard !path.utf8.contains(0), !path.isEmpty else { throw .pathTooLong() }
    let deadline = MonotonicTime.after(timeout)
    let socket = try FileDescriptor(result: clinux_socket(0), of: "Making a socket")
    var result: Int32
    repeat {
      // A blocking connect waits for the server's full queue as long as the send timeout.
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

  /// Takes ownership of a connected socket, such as one end of a socket pair. It becomes
  /// nonblocking, as deadlines need.
  ///
  /// - Throws: `system`.
  package init(_ socket: consuming FileDescriptor, limitBytes: Int = defaultLimitBytes) throws(UnixSocketError) {
    try socket.setNonblocking(true)
    descriptor = socket
    assembly = Mutex(FrameAssembly(FrameDecoder(frameLimitBytes: limitBytes)))
  }

  /// The descriptor's number, for polling; do not close it.
  package var number: Int32 { descriptor.number }

  /// Sends one message and its final NUL.
  ///
  /// After an error inside a message the connection is shut down, and nothing more can be sent.
  /// - Parameter message: without NUL. Duplicates of the descriptors go with its first byte; the
  ///   caller keeps its own.
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
    // The lock is held during waits: another message must not cut into this one.
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

  /// Sends as much as the kernel takes, and waits first if its buffer is full.
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

  /// Receives the next message; nil if the peer closed after a whole one.
  ///
  /// - Throws: `closed` if the stream ends inside a message; `timedOut`, after which the next call
  ///   continues without loss; `messageTooLarge`; `descriptorsUnexpected` for more descriptors than
  ///   this process can hold; `system`.
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

  /// Whether the peer has sent unreceived bytes. For protocols in which it sends only replies.
  package var hasUnreceived: Bool {
    assembly.withLock { assembly in
      if assembly.decoder.bufferedBytes > 0 { return true }
      var byte: UInt8 = 0
      return recv(number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
  }

  /// Whether the peer has closed, or this end was shut down.
  package var isHungUp: Bool {
    var poll = pollfd(fd: number, events: 0, revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0
  }

  private func receive(_ assembly: inout FrameAssembly, _ deadline: MonotonicTime) throws(UnixSocketError) -> Frame? {
    while true {
      if let frame = assembly.next() { return frame }
      // Reads no bytes past the end of a message at the limit.
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

  /// Shuts down both directions and wakes all waiting threads. From any thread.
  package func shutdown() { _ = Glibc.shutdown(number, Int32(SHUT_RDWR)) }
}
