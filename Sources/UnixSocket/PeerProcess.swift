import CLinux
import Glibc

/// The process at the other end, held by a descriptor so that its number cannot come to mean
/// another one unnoticed.
///
/// Lives as long as the connection. Register `number` for reading in an event loop: it becomes
/// readable when the process ends, whoever else holds the socket then.
package final class PeerProcess: Sendable {
  private let descriptor: FileDescriptor
  /// Whether the kernel bound the descriptor to the socket's connector. If not (kernel before 6.5)
  /// it was opened by number after the connection was accepted, and may name another process:
  /// nothing about the process is vouched for then.
  package let isBoundToSocket: Bool

  /// Takes over a process descriptor.
  package init(_ descriptor: consuming FileDescriptor, isBoundToSocket: Bool) {
    self.descriptor = descriptor
    self.isBoundToSocket = isBoundToSocket
  }

  /// The descriptor's number: readable once the process has ended.
  package var number: Int32 { descriptor.number }

  /// What tells this process from every other one that has lived since the machine started,
  /// whatever its number is here and wherever it lives; nil where the kernel (before 6.9) says
  /// nothing.
  package var identity: UInt64? {
    let identity = clinux_pidfd_identity(descriptor.number)
    return identity > 0 ? identity : nil
  }

  /// Whether the process has ended; a dead one that nobody has waited for yet counts as ended.
  package var hasExited: Bool {
    var poll = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    // A descriptor that cannot be polled says nothing good about its process: it counts as gone.
    return Glibc.poll(&poll, 1, 0) != 0
  }
}
