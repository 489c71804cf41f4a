import Synchronization
import UnixSocket

/// A descriptor that a client sent, on its way to the thread that reads it. Freeing it on any
/// thread closes it in the background.
final class HandedDescriptor: Sendable {
  /// Valid for system calls until ``take()``.
  let number: Int32
  private let descriptor: Mutex<FileDescriptor?>
  private let user: UInt32
  private let closer: DescriptorCloser

  init(_ descriptor: consuming FileDescriptor, of user: UInt32, closer: DescriptorCloser) {
    number = descriptor.number
    self.descriptor = Mutex(descriptor)
    self.user = user
    self.closer = closer
  }

  deinit { if let descriptor = take() { closer.close(OwnedDescriptors(descriptor), of: user) } }

  /// Nil the second time. The caller hands the descriptor to a ``DescriptorCloser`` in the end.
  func take() -> FileDescriptor? { descriptor.withLock { $0.take() } }
}
