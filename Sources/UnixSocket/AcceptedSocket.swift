import CLinux
import Synchronization

/// An accepted connection, of which only the peer's credentials are known. `identified()` reads the
/// rest, on any thread, when the connection is to be served: that takes several system calls.
///
/// Closed when released, or by `close`.
package final class AcceptedSocket: Sendable {
  /// The peer's credentials, from one system call.
  package let credentials: PeerCredentials
  private let descriptor: Mutex<FileDescriptor?>
  /// Whether the kernel rejects descriptors that a peer sends to this socket.
  private let kernelRefusesDescriptors: Bool

  /// Takes ownership of a socket that a listener accepted.
  ///
  /// - Throws: `peerUnidentified`.
  init(_ descriptor: consuming FileDescriptor, kernelRefusesDescriptors: Bool) throws(UnixSocketError) {
    credentials = try PeerCredentials(ofSocket: descriptor)
    self.descriptor = Mutex(consume descriptor)
    self.kernelRefusesDescriptors = kernelRefusesDescriptors
  }

  /// Whether the peer sent nothing and has closed, so that there is nothing to serve.
  package var isLeft: Bool {
    descriptor.withLock { descriptor in
      switch descriptor {
      case .some(let descriptor): clinux_is_left(descriptor.number) != 0
      case .none: true
      }
    }
  }

  /// Moves the socket into a connection with its peer's identity.
  ///
  /// - Throws: like `PeerIdentity.init`. The socket then still needs `close`.
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

  /// Closes the socket now.
  ///
  /// - Parameter elsewhere: see ``SocketConnection/closesElsewhere``.
  package func close(elsewhere: @escaping @Sendable (consuming FileDescriptor) -> Void) {
    guard let descriptor = descriptor.withLock({ $0.take() }) else { return }
    SocketConnection.close(descriptor, mayHoldDescriptors: !kernelRefusesDescriptors, elsewhere: elsewhere)
  }
}
