import CLinux
import Glibc
package import UnixSocket

/// Tells whether anybody still holds a copy that was handed out: its memory stays until the last
/// one lets go, and no reader says when that is.
///
/// Holds a reading description of its own. The kernel grants a write lease on a file that nobody
/// else has open or mapped, and on no other; it is given back at once.
package final class CopyWatch {
  package let byteCount: Int
  private let descriptor: FileDescriptor

  /// - Throws: `descriptorsExhausted`, `system`.
  package init(_ copy: SealedCopy) throws(UnixSocketError) {
    descriptor = try copy.opened()
    byteCount = copy.byteCount
  }

  /// Whether the copy is open or mapped anywhere else, the broker's own descriptor of it included.
  package var isHeld: Bool {
    guard clinux_set_lease(descriptor.number, Int32(F_WRLCK)) == 0 else { return true }
    _ = clinux_set_lease(descriptor.number, Int32(F_UNLCK))
    return false
  }
}
