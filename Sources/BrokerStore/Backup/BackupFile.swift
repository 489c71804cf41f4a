import Glibc

/// A finished backup: an open, read-only file without a name. It is deleted with its last
/// descriptor.
package final class BackupFile: Sendable {
  /// The descriptor's number. The descriptor stays this object's.
  package let number: Int32
  /// In bytes.
  package let size: Int64

  init(owning number: Int32, size: Int64) { (self.number, self.size) = (number, size) }

  deinit { _ = close(number) }

  /// Duplicates the descriptor for the caller, close-on-exec; negative if the process has none
  /// left.
  package func duplicate() -> Int32 { fcntl(number, F_DUPFD_CLOEXEC, 0) }
}
