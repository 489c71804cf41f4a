/// An error of a socket, a descriptor or a peer; equal by code.
///
/// Its description has neither paths nor sent bytes.
package struct UnixSocketError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The peer's process has ended, or the socket is not connected.
    case peerGone
    /// The kernel could not identify the peer. Close the connection.
    case peerUnidentified
    /// Another process serves this socket.
    case addressInUse
    /// The path is longer than a socket address allows: 107 bytes.
    case pathTooLong
    /// No process serves this socket.
    case notServed
    /// The service manager handed over something that is no listening Unix socket.
    case unsuitableSocket
    /// The deadline has passed.
    case timedOut
    /// The peer closed the connection.
    case closed
    /// The peer takes no descriptors, or too many are unreceived.
    case descriptorsRefused
    /// The peer sent descriptors that are not allowed.
    case descriptorsUnexpected
    /// A message is larger than the limit.
    case messageTooLarge
    /// This process or the machine has no descriptor left.
    case descriptorsExhausted
    /// Any other failed system call.
    case system
  }

  package let code: Code
  /// The cause and the fix.
  package let message: String
  /// The kernel's errno; 0 if there is none.
  package let cause: Int32

  package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  package var description: String { message }

  /// Whether the error concerns only one peer, so that a listener continues with the next.
  package var concernsOnePeer: Bool { code == .peerGone || code == .peerUnidentified }
}
