import CLinux
import Glibc
package import UnixSocket

/// Detects when all readers of a sealed copy have closed it, and its memory is free.
///
/// Holds its own read-only description. The kernel grants a write lease only if nobody else has the
/// file open or mapped; the lease is released at once.
package final class CopyWatch {
  package let byteCount: Int
  private let descriptor: FileDescriptor

  /// - Throws: `descriptorsExhausted`, `system`.
  package init(_ copy: SealedCopy) throws(UnixSocketError) {
    descriptor = try copy.opened()
    byteCount = copy.byteCount
  }

  /// Whether the copy is open or mapped elsewhere, including the broker's own descriptor.
  package var isHeld: Bool {
    guard clinux_set_lease(descriptor.number, Int32(F_WRLCK)) == 0 else { return true }
    _ = clinux_set_lease(descriptor.number, Int32(F_UNLCK))
    return false
  }
}
