import Glibc

/// A finished backup: an open file without a name, read-only, that goes away with its last descriptor.
package final class BackupFile: Sendable {
  /// The descriptor's number; it stays this object's.
  package let number: Int32
  /// In bytes.
  package let size: Int64

  init(owning number: Int32, size: Int64) { (self.number, self.size) = (number, size) }

  deinit { _ = close(number) }

  /// Another descriptor of the same open file, close-on-exec; negative where the process has none left.
  package func duplicate() -> Int32 { fcntl(number, F_DUPFD_CLOEXEC, 0) }
}
