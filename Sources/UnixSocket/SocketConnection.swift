import CLinux
import Glibc

/// An accepted, nonblocking connection of a server with its peer's identity.
///
/// Not Sendable: it belongs to the isolation that accepted it. Closed when released, or by `close`.
package final class SocketConnection {
  /// The peer's identity, taken at accept.
  package let peer: PeerIdentity
  private var descriptor: FileDescriptor?
  /// Whether descriptors were ever allowed.
  private var acceptsDescriptors = false
  /// Whether the kernel rejects descriptors that a peer sends to this socket.
  private let kernelRefusesDescriptors: Bool

  /// The result of a receive.
  package enum Received: Sendable, Equatable {
    /// The number of received bytes, at least one.
    case bytes(Int)
    /// No bytes are there: wait until the socket is readable.
    case wouldBlock
    /// The peer closed, or the connection broke.
    case closed
    /// Descriptors came that are not allowed, or that did not all fit. Close the connection.
    case descriptorsRefused
  }

  /// The result of a send.
  package enum Sent: Sendable, Equatable {
    /// The number of sent bytes, maybe fewer than offered. The descriptors went with the first
    /// byte.
    case taken(Int)
    /// No byte was sent: wait until the socket is writable.
    case wouldBlock
    /// The peer closed.
    case closed
  }

  /// Takes ownership of an accepted or inherited nonblocking socket.
  package init(_ descriptor: consuming FileDescriptor, peer: PeerIdentity) {
    // Older kernels ignore this option, so every receive must then check for descriptors.
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

  /// Closes a socket that may hold unread descriptors. The peer chose them, and closing some files
  /// blocks for ever. Nil: they are closed on the spot.
  package var closesElsewhere: (@Sendable (consuming FileDescriptor) -> Void)?

  deinit { close() }

  /// Receives available bytes into `buffer`, and closes descriptors that came with them.
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

  /// Receives available bytes into `buffer`, and appends descriptors to `descriptors` if
  /// `setPassRights(true)` allowed them. Otherwise descriptors stay in the socket. After
  /// `descriptorsRefused`, `descriptors` has those that fit.
  ///
  /// - Parameter hasRoom: whether the caller can take descriptors now. If not, they are refused and
  ///   stay in the socket.
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

  /// Sends as many bytes as the kernel takes.
  ///
  /// - Throws: `system`.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(UnixSocketError) -> Sent {
    try Self.sent(clinux_send(number, bytes.baseAddress, bytes.count, nil, 0))
  }

  /// Sends as many bytes as the kernel takes, and `descriptors` with the first of them. The caller
  /// keeps its own descriptors. `bytes` must not be empty.
  ///
  /// - Throws: `descriptorsRefused` if the peer accepts none, or if too many sent ones are
  ///   unreceived; `system`.
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

  /// Allows or forbids the peer to send descriptors; forbidden by default. Descriptors sent before
  /// a change to forbidden are still received.
  package func setPassRights(_ allowed: Bool) {
    if allowed { acceptsDescriptors = true }
    // A kernel without this option passes descriptors anyway; `receive` then reports those that
    // were never allowed.
    _ = clinux_set_pass_rights(number, allowed ? 1 : 0)
  }

  /// Limits the kernel's buffer for a slow reader. The kernel doubles the number, and counts its
  /// own overhead in it.
  ///
  /// - Throws: `system`.
  package func setSendBuffer(bytes: Int32) throws(UnixSocketError) {
    let result = clinux_set_send_buffer(number, bytes)
    guard result >= 0 else { throw .system("Setting a send buffer", -result) }
  }

  /// Whether the peer has received everything that was sent, also descriptors, or is gone.
  package var isAllTaken: Bool { clinux_is_all_taken(number) != 0 }

  /// Shuts down both directions. The peer reads the end of the stream after the sent bytes.
  package func shutdown() { _ = Glibc.shutdown(number, Int32(SHUT_RDWR)) }

  /// Closes the descriptor now; deregister it from the event loop before. Later calls answer
  /// `closed`.
  package func close() {
    guard let descriptor = descriptor.take() else { return }
    Self.close(
      descriptor, mayHoldDescriptors: acceptsDescriptors || !kernelRefusesDescriptors, elsewhere: closesElsewhere)
  }

  /// Closes a connected socket, by `elsewhere` if it may hold unread descriptors.
  static func close(
    _ descriptor: consuming FileDescriptor, mayHoldDescriptors: Bool,
    elsewhere: (@Sendable (consuming FileDescriptor) -> Void)?
  ) {
    // Descriptors always come with bytes, and none arrive after a shutdown.
    guard let elsewhere, mayHoldDescriptors else { return }
    _ = Glibc.shutdown(descriptor.number, Int32(SHUT_RDWR))
    if clinux_unread_bytes(descriptor.number) != 0 { elsewhere(descriptor) }
  }
}
