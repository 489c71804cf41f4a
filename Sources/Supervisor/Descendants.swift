import CLinux
import Glibc
import Synchronization

/// What children leave behind: a process of theirs that made a session of its own outlives them,
/// and would for ever.
///
/// Where a program asks for it, once, the kernel gives such processes to it, and they are ended
/// whenever a child has ended. Only for a program all of whose children are a supervisor's.
package enum Descendants {
  /// Our own children. All are started by one thread, which also looks for others: none is new and not yet in here.
  /// A number counts twice where a child has ended, is not taken out yet, and another one has got its number.
  private static let known = Mutex<[Int32: Int]>([:])
  private static let isAdopting = Atomic<Bool>(false)

  /// Has the kernel give this program what its children leave behind.
  /// - Returns: Whether it does.
  @discardableResult
  package static func adopt() -> Bool {
    guard clinux_adopt_orphans() == 0 else { return false }
    isAdopting.store(true, ordering: .relaxed)
    return true
  }

  /// On the thread that starts children.
  static func didStart(_ pid: Int32) { known.withLock { $0[pid, default: 0] += 1 } }

  /// When a child has ended and is reaped: ends what it left behind, later and elsewhere.
  static func didEnd(_ pid: Int32) {
    SpawnThread.shared.perform {
      known.withLock { table in
        let count = table[pid, default: 1] - 1
        table[pid] = count > 0 ? count : nil
      }
      if isAdopting.load(ordering: .relaxed) { endOrphans() }
    }
  }

  /// Waits until what the children that have ended left behind is gone: before this program ends itself.
  package static func settle() { try? SpawnThread.shared.run {} }

  /// Ending one may bring up what that one left behind.
  private static let rounds = 50

  private static func endOrphans() {
    for _ in 0..<rounds {
      let orphans = children().filter { pid in known.withLock { $0[pid] == nil } }
      guard !orphans.isEmpty else { return }
      for orphan in orphans {
        _ = kill(orphan, SIGKILL)
        var status: Int32 = 0
        _ = waitpid(orphan, &status, WNOHANG)
      }
      usleep(1_000)
    }
  }

  /// Our own children, which are this thread's, and those that the kernel gave us, which are the
  /// first thread's: it lives as long as the program does. Of all other threads, hundreds where
  /// there are many libraries, each look would take a file.
  private static func children() -> [Int32] {
    ["self/task/\(getpid())", "thread-self"].flatMap { thread in
      text("/proc/\(thread)/children").split(separator: " ").compactMap { Int32($0) }
    }
  }

  private static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while case let count = read(file, &piece, piece.count), count > 0 { bytes += piece[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
