import CLinux
import Glibc

/// The peer's process, held by a descriptor so that its number cannot be reused unnoticed.
///
/// It lives as long as the connection. Register `number` for reading in an event loop: it becomes
/// readable when the process ends, even if another process holds the socket.
package final class PeerProcess: Sendable {
  private let descriptor: FileDescriptor
  /// Whether the kernel tied the descriptor to the process that connected. Before kernel 6.5 it
  /// does not: the descriptor is opened by number after accept and may be another process's.
  /// Nothing about the process counts as verified then.
  package let isBoundToSocket: Bool

  package init(_ descriptor: consuming FileDescriptor, isBoundToSocket: Bool) {
    self.descriptor = descriptor
    self.isBoundToSocket = isBoundToSocket
  }

  /// The descriptor's number; readable once the process has ended.
  package var number: Int32 { descriptor.number }

  /// An identifier of the process, unique since the machine's start and in all namespaces; nil
  /// before kernel 6.9.
  package var identity: UInt64? {
    let identity = clinux_pidfd_identity(descriptor.number)
    return identity > 0 ? identity : nil
  }

  /// Whether the process has ended; a zombie counts as ended.
  package var hasExited: Bool {
    var poll = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    // A descriptor that cannot be polled counts as ended.
    return Glibc.poll(&poll, 1, 0) != 0
  }
}
