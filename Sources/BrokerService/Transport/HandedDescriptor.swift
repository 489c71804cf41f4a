import Synchronization
import UnixSocket

/// A descriptor that a client handed over, on its way to the thread that reads from it. Wherever it
/// is let go of, nobody waits for that.
final class HandedDescriptor: Sendable {
  /// For system calls, as long as this lives and nobody took it.
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

  /// Nil the second time. Whoever takes it hands it to a ``DescriptorCloser`` in the end.
  func take() -> FileDescriptor? { descriptor.withLock { $0.take() } }
}
