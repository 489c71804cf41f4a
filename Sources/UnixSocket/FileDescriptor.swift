import CLinux
import Glibc

/// The one owner of an open file: closed when it goes out of scope, at the latest.
///
/// Every descriptor that comes from this module is close-on-exec from birth.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The number, for system calls while the owner lives; never close it.
  package let number: Int32

  /// Takes over a descriptor that nobody else closes.
  package init(owning number: Int32) { self.number = number }

  /// Takes over the result of a call that returns a descriptor or a negated errno.
  ///
  /// - Throws: `system`, or `descriptorsExhausted`.
  package init(result: Int32, of what: String) throws(UnixSocketError) {
    guard result >= 0 else { throw .system(what, -result) }
    number = result
  }

  deinit { _ = Glibc.close(number) }

  /// Closes it now.
  package consuming func close() {}

  /// Gives up ownership: whoever gets the number closes it.
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

  /// Sets or clears close-on-exec: a child inherits only what was cleared on purpose.
  ///
  /// - Throws: `system`.
  package borrowing func setCloseOnExec(_ on: Bool) throws(UnixSocketError) {
    let result = clinux_set_close_on_exec(number, on ? 1 : 0)
    guard result >= 0 else { throw .system("Changing a descriptor", -result) }
  }

  /// Sets or clears nonblocking on the open file, which all its duplicates share.
  ///
  /// - Throws: `system`.
  package borrowing func setNonblocking(_ on: Bool) throws(UnixSocketError) {
    let result = clinux_set_nonblocking(number, on ? 1 : 0)
    guard result >= 0 else { throw .system("Changing a descriptor", -result) }
  }
}
