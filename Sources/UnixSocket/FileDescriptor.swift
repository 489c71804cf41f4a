import CLinux
import Glibc

/// The only owner of an open file, which it closes when it goes out of scope.
///
/// Every descriptor from this module is close-on-exec from the start.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The number, for system calls during the owner's life; never close it.
  package let number: Int32

  /// Takes ownership of a descriptor.
  package init(owning number: Int32) { self.number = number }

  /// Takes ownership of a system call's result: a descriptor or a negated errno.
  ///
  /// - Throws: `system`, or `descriptorsExhausted`.
  package init(result: Int32, of what: String) throws(UnixSocketError) {
    guard result >= 0 else { throw .system(what, -result) }
    number = result
  }

  deinit { _ = Glibc.close(number) }

  package consuming func close() {}

  /// Gives up ownership: the caller must close the number.
  package consuming func release() -> Int32 {
    let released = number
    discard self
    return released
  }

  /// A second descriptor of the same open file, close-on-exec.
  ///
  /// - Throws: `system`, or `descriptorsExhausted`.
  package borrowing func duplicate() throws(UnixSocketError) -> FileDescriptor {
    try FileDescriptor(result: clinux_duplicate(number, 3), of: "Duplicating a descriptor")
  }

  /// Sets or clears close-on-exec. Clear it only for descriptors that a child should inherit.
  ///
  /// - Throws: `system`.
  package borrowing func setCloseOnExec(_ on: Bool) throws(UnixSocketError) {
    let result = clinux_set_close_on_exec(number, on ? 1 : 0)
    guard result >= 0 else { throw .system("Changing a descriptor", -result) }
  }

  /// Sets or clears the nonblocking flag of the open file, which all its duplicates share.
  ///
  /// - Throws: `system`.
  package borrowing func setNonblocking(_ on: Bool) throws(UnixSocketError) {
    let result = clinux_set_nonblocking(number, on ? 1 : 0)
    guard result >= 0 else { throw .system("Changing a descriptor", -result) }
  }
}
