import CLinux
import Glibc

/// The exclusive lock of a state folder, held by one process at most, until that process ends.
package final class StateLock: Sendable {
  private let descriptor: FileDescriptor

  /// Locks the file at `path`, created with mode 0600, and writes this process's number into it.
  /// The file stays after the lock ends: removing it would let two processes lock two files of one
  /// name.
  ///
  /// - Throws: `stateLocked` if another process holds the lock, with its number in the message;
  ///   `system`.
  package init(path: String) throws(UnixSocketError) {
    descriptor = try FileDescriptor(
      result: clinux_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600), of: "Opening the lock file")
    while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: throw .stateLocked(holder: Self.holder(descriptor.number))
      default: throw .system("Locking the state", errno)
      }
    }
    let line = Array("\(getpid())\n".utf8)
    guard ftruncate(descriptor.number, 0) == 0, pwrite(descriptor.number, line, line.count, 0) == line.count else {
      throw .system("Writing the lock file", errno)
    }
  }

  private static func holder(_ number: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(number, &bytes, bytes.count, 0)
    guard count > 1 else { return nil }
    return Int32(String(decoding: bytes[..<(count - 1)], as: UTF8.self))
  }
}
