import CLinux
import Glibc
import Synchronization

/// Ends processes that children leave behind: one with a session of its own would survive them.
///
/// After `adopt()` the kernel makes this program the parent of orphans, which are ended after each
/// child's end. Only for programs whose children all belong to supervisors.
package enum Descendants {
  /// The supervisors' children. One thread starts them and looks for orphans, so that no new child
  /// is missing here. A number counts twice if a new child has got it before the old one is
  /// removed.
  private static let known = Mutex<[Int32: Int]>([:])
  private static let isAdopting = Atomic<Bool>(false)

  /// Makes this program the parent of its children's orphans.
  ///
  /// - Returns: Whether the kernel does so.
  @discardableResult
  package static func adopt() -> Bool {
    guard clinux_adopt_orphans() == 0 else { return false }
    isAdopting.store(true, ordering: .relaxed)
    return true
  }

  /// Called on the thread that starts children.
  static func didStart(_ pid: Int32) { known.withLock { $0[pid, default: 0] += 1 } }

  /// Called after a child was reaped: ends its orphans, asynchronously on the spawning thread.
  static func didEnd(_ pid: Int32) {
    SpawnThread.shared.perform {
      known.withLock { table in
        let count = table[pid, default: 1] - 1
        table[pid] = count > 0 ? count : nil
      }
      if isAdopting.load(ordering: .relaxed) { endOrphans() }
    }
  }

  /// Waits until the orphans of ended children are gone, before this program ends.
  package static func settle() { try? SpawnThread.shared.run {} }

  /// The end of an orphan may reveal its own orphans.
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

  /// The children, which belong to this thread, and adopted orphans, which belong to the main
  /// thread for the program's life. Reading each of hundreds of other threads would cost a file
  /// each time.
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
