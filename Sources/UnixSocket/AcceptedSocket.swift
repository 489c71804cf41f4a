import CLinux
import Synchronization

/// A connection that was accepted, and of whose other end no more is known than whose it is. The
/// rest takes several looks at the system: it is asked for when the connection is to be served, on
/// whichever thread.
///
/// Closed when released, or by `close`.
package final class AcceptedSocket: Sendable {
  /// Who connected, as far as one look tells.
  package let credentials: PeerCredentials
  private let descriptor: Mutex<FileDescriptor?>
  /// Whether the kernel keeps descriptors from being sent to this socket.
  private let kernelRefusesDescriptors: Bool

  /// Takes over a socket that a listener accepted.
  ///
  /// - Throws: `peerUnidentified`.
  init(_ descriptor: consuming FileDescriptor, kernelRefusesDescriptors: Bool) throws(UnixSocketError) {
    credentials = try PeerCredentials(ofSocket: descriptor)
    self.descriptor = Mutex(consume descriptor)
    self.kernelRefusesDescriptors = kernelRefusesDescriptors
  }

  /// Whether the other end sent nothing and sends nothing any more: there is nothing to serve, whoever it was.
  package var isLeft: Bool {
    descriptor.withLock { descriptor in
      switch descriptor {
      case .some(let descriptor): clinux_is_left(descriptor.number) != 0
      case .none: true
      }
    }
  }

  /// The connection, with its peer's identity. The socket has gone over into it then.
  ///
  /// - Throws: as `PeerIdentity` does. The socket is still to be closed then.
  package func identified() throws(UnixSocketError) -> SocketConnection {
    let peer = try descriptor.withLock { descriptor throws(UnixSocketError) in
      switch descriptor {
      case .some(let descriptor): try PeerIdentity(credentials, ofSocket: descriptor)
      case .none: throw .peerGone()
      }
    }
    guard let descriptor = descriptor.withLock({ $0.take() }) else { throw .peerGone() }
    return SocketConnection(descriptor, peer: peer)
  }

  /// Closes it now, unserved.
  ///
  /// - Parameter elsewhere: as ``SocketConnection/closesElsewhere``.
  package func close(elsewhere: @escaping @Sendable (consuming FileDescriptor) -> Void) {
    guard let descriptor = descriptor.withLock({ $0.take() }) else { return }
    SocketConnection.close(descriptor, mayHoldDescriptors: !kernelRefusesDescriptors, elsewhere: elsewhere)
  }
}
