/// What went wrong with a socket, a descriptor or a peer; equal by code.
///
/// Its description names neither a path nor what was sent.
package struct UnixSocketError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is.
  package enum Code: Sendable, Equatable {
    /// The process that connected has ended, or nobody is connected.
    case peerGone
    /// The kernel could not say who connected: the connection must be closed.
    case peerUnidentified
    /// Another process already serves this socket.
    case addressInUse
    /// The path does not fit into a socket address: 107 bytes.
    case pathTooLong
    /// Nobody serves this socket.
    case notServed
    /// Another daemon works on this state.
    case stateLocked
    /// The service manager handed over something that is no listening Unix socket.
    case unsuitableSocket
    /// The deadline has passed.
    case timedOut
    /// The other end closed the connection.
    case closed
    /// The other end takes no descriptors, or too many are on their way.
    case descriptorsRefused
    /// The other end sent descriptors where none are allowed.
    case descriptorsUnexpected
    /// A message is larger than the limit.
    case messageTooLarge
    /// This process, or the machine, has no descriptor left.
    case descriptorsExhausted
    /// Anything else that the kernel refused.
    case system
  }

  package let code: Code
  /// What went wrong and what to do about it.
  package let message: String
  /// The kernel's errno, 0 where none caused it.
  package let cause: Int32

  package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  package var description: String { message }

  /// Whether the failure is about one peer only, so that a listener just goes on to the next one.
  package var concernsOnePeer: Bool { code == .peerGone || code == .peerUnidentified }
}
