import Glibc
import Synchronization

/// Counts how often something was mounted or taken away, as far as this program sees it. It asks the kernel's table, and none of the disks.
final class MountTable: Sendable {
  static let shared = MountTable()

  /// Of the program's whole life; -1 where the system has no such file.
  private let file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
  private let changes = Mutex(0)

  /// Another number than before says that the table is another one since then.
  var age: Int {
    changes.withLock { changes in
      // The kernel tells of all that happened since it was asked last, once.
      var poll = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
      if Glibc.poll(&poll, 1, 0) > 0 { changes += 1 }
      return changes
    }
  }
}
