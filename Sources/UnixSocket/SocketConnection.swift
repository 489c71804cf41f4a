import CLinux
import Glibc

/// One accepted connection of a server: nonblocking, never waiting, knowing who is at the other end.
///
/// Not Sendable: it belongs to the isolation that accepted it. Closed when released, or by `close`.
package final class SocketConnection {
  /// Who connected, taken at accept.
  package let peer: PeerIdentity
  private var descriptor: FileDescriptor?
  /// Whether descriptors were ever allowed: those that are received are handed on.
  private var acceptsDescriptors = false
  /// Whether the kernel keeps descriptors from being sent to this socket.
  private let kernelRefusesDescriptors: Bool

  /// What a receive brought.
  package enum Received: Sendable, Equatable {
    /// So many bytes, at least one.
    case bytes(Int)
    /// Nothing now: wait until the socket is readable.
    case wouldBlock
    /// The other end closed, or the connection broke.
    case closed
    /// Descriptors came where none are allowed, or did not all fit. Close the connection.
    case descriptorsRefused
  }

  /// What a send achieved.
  package enum Sent: Sendable, Equatable {
    /// The kernel took so many bytes, maybe fewer than offered; the descriptors went with the first of them.
    case taken(Int)
    /// Nothing was taken: wait until the socket is writable.
    case wouldBlock
    /// The other end closed.
    case closed
  }

  /// Takes over an accepted or inherited nonblocking socket and the identity taken from it.
  package init(_ descriptor: consuming FileDescriptor, peer: PeerIdentity) {
    // Older kernels let descriptors through whatever we ask: then every receive has to look for them.
    kernelRefusesDescriptors = clinux_set_pass_rights(descriptor.number, 0) >= 0
    self.descriptor = consume descriptor
    self.peer = peer
  }

  /// The descriptor's number, for an event loop; -1 once closed.
  package var number: Int32 {
    switch descriptor {
    case .some(let descriptor): descriptor.number
    case .none: -1
    }
  }

  /// Closes what may have unread descriptors in it, which are the other end's to choose: closing
  /// them can take for ever. Nil: it is closed where it is let go of.
  package var closesElsewhere: (@Sendable (consuming FileDescriptor) -> Void)?

  deinit { close() }

  /// Receives what is there, at most what fits into `buffer`, and closes descriptors that came along.
  ///
  /// - Throws: `system`.
  package func receive(into buffer: UnsafeMutableRawBufferPointer) throws(UnixSocketError) -> Received {
    if !acceptsDescriptors {
      let count =
        kernelRefusesDescriptors
        ? clinux_receive_bytes(number, buffer.baseAddress, buffer.count)
        : clinux_receive_bytes_alone(number, buffer.baseAddress, buffer.count)
      return try received(count)
    }
    var none = OwnedDescriptors()
    let received = try receiveAll(into: buffer, descriptors: &none)
    return none.isEmpty ? received : .descriptorsRefused
  }

  /// Receives what is there, at most what fits into `buffer`, and adds descriptors that came along
  /// to `descriptors`, where `setPassRights(true)` allowed them; otherwise none is taken out of the
  /// socket. With `descriptorsRefused` those that did fit are in `descriptors`.
  ///
  /// - Parameter hasRoom: whether any can be taken now; else those that came are refused, and stay
  ///   in the socket.
  /// - Throws: `system`.
  package func receive(
    into buffer: UnsafeMutableRawBufferPointer,
    descriptors: inout OwnedDescriptors, hasRoom: Bool = true
  ) throws(UnixSocketError) -> Received {
    guard acceptsDescriptors else { return try receive(into: buffer) }
    guard hasRoom else { return try received(clinux_receive_bytes_alone(number, buffer.baseAddress, buffer.count)) }
    return try receiveAll(into: buffer, descriptors: &descriptors)
  }

  private func received(_ count: Int) throws(UnixSocketError) -> Received {
    count == -Int(EPERM) ? .descriptorsRefused : try Self.outcome(count)
  }

  private func receiveAll(
    into buffer: UnsafeMutableRawBufferPointer,
    descriptors: inout OwnedDescriptors
  ) throws(UnixSocketError) -> Received {
    let (count, isTruncated) = DescriptorMessage.receive(from: number, into: buffer, descriptors: &descriptors)
    return isTruncated ? .descriptorsRefused : try Self.outcome(count)
  }

  private static func outcome(_ count: Int) throws(UnixSocketError) -> Received {
    if count > 0 { return .bytes(count) }
    switch -count {
    case 0, Int(ECONNRESET), Int(EPIPE), Int(EBADF): return .closed
    case Int(EAGAIN), Int(EINTR): return .wouldBlock
    default: throw .system("Receiving", Int32(truncatingIfNeeded: -count))
    }
  }

  /// Sends as much as the kernel takes.
  ///
  /// - Throws: `system`.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(UnixSocketError) -> Sent {
    try Self.sent(clinux_send(number, bytes.baseAddress, bytes.count, nil, 0))
  }

  /// Sends as much as the kernel takes, and `descriptors` with its first byte; the caller keeps and
  /// later closes its own. `bytes` must not be empty.
  ///
  /// - Throws: `descriptorsRefused` when the other end takes none, or when too many that were never
  ///   received are on their way; `system`.
  package func send(
    _ bytes: UnsafeRawBufferPointer,
    descriptors: borrowing OwnedDescriptors
  ) throws(UnixSocketError) -> Sent {
    try Self.sent(DescriptorMessage.send(bytes, descriptors: descriptors, to: number))
  }

  private static func sent(_ count: Int) throws(UnixSocketError) -> Sent {
    if count >= 0 { return .taken(count) }
    switch -count {
    case Int(EAGAIN), Int(EINTR): return .wouldBlock
    case Int(EPIPE), Int(ECONNRESET), Int(EBADF): return .closed
    case Int(EPERM), Int(ETOOMANYREFS): throw .descriptorsRefused(Int32(truncatingIfNeeded: -count))
    default: throw .system("Sending", Int32(truncatingIfNeeded: -count))
    }
  }

  /// Allows, or forbids again, that the other end sends descriptors. Forbidden at first. Those that
  /// it sent before that are received.
  package func setPassRights(_ allowed: Bool) {
    if allowed { acceptsDescriptors = true }
    // A kernel without the option passes them anyway; then receive reports those that were never allowed.
    _ = clinux_set_pass_rights(number, allowed ? 1 : 0)
  }

  /// Bounds what the kernel holds for a slow reader. The kernel doubles the number, and counts its own overhead in it.
  ///
  /// - Throws: `system`.
  package func setSendBuffer(bytes: Int32) throws(UnixSocketError) {
    let result = clinux_set_send_buffer(number, bytes)
    guard result >= 0 else { throw .system("Setting a send buffer", -result) }
  }

  /// Whether the other end has taken everything that was sent, descriptors included, or is gone.
  package var isAllTaken: Bool { clinux_is_all_taken(number) != 0 }

  /// Ends both directions: the other end reads the end of the stream after what was sent.
  package func shutdown() { _ = Glibc.shutdown(number, Int32(SHUT_RDWR)) }

  /// Closes the descriptor now; deregister it from the event loop before. Later calls answer `closed`.
  package func close() {
    guard let descriptor = descriptor.take() else { return }
    Self.close(
      descriptor, mayHoldDescriptors: acceptsDescriptors || !kernelRefusesDescriptors, elsewhere: closesElsewhere)
  }

  /// Closes a connected socket, elsewhere where descriptors that nobody received may be in it.
  static func close(
    _ descriptor: consuming FileDescriptor, mayHoldDescriptors: Bool,
    elsewhere: (@Sendable (consuming FileDescriptor) -> Void)?
  ) {
    // Only what was sent with bytes can wait in it; nothing more comes once it is shut down.
    guard let elsewhere, mayHoldDescriptors else { return }
    _ = Glibc.shutdown(descriptor.number, Int32(SHUT_RDWR))
    if clinux_unread_bytes(descriptor.number) != 0 { elsewhere(descriptor) }
  }
}
