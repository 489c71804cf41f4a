import Glibc
import Synchronization

/// Detects changes of this program's mounts. It reads the kernel's table and touches no disk.
final class MountTable: Sendable {
  static let shared = MountTable()

  struct Mark {
    var age = 0
    /// Differs after a change that matters to the child.
    var value = 0
  }

  private struct State {
    var age = 0
    /// The number of changes after which the table was the same: something was unmounted and
    /// mounted again.
    var returns = 0
    var lines: [Substring] = []
  }

  /// Open for the program's whole life; -1 if the system has no such file.
  private let file: Int32
  private let state: Mutex<State>

  private init() {
    file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    state = Mutex(State(lines: Self.lines(of: file)))
  }

  /// - Parameter known: The child's last mark; the table is read only after a change.
  func mark(_ options: ChildOptions, known: Mark) -> Mark {
    guard options.renewal != .never else { return known }
    let now = state.withLock { state in
      // The kernel reports all changes since the last poll, once.
      var poll = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
      if Glibc.poll(&poll, 1, 0) > 0 {
        let lines = Self.lines(of: file)
        if lines == state.lines { state.returns += 1 }
        (state.age, state.lines) = (state.age + 1, lines)
      }
      return state
    }
    // 0 is no table's number, so the first mark is always read.
    let age = now.age + 1
    guard age != known.age else { return known }
    guard options.renewal == .afterMountsAtItsRules, let files = options.files else {
      return Mark(age: age, value: age)
    }
    return Mark(age: age, value: Self.value(of: now.lines, files, now.returns))
  }

  /// A hash of the table down to the last mount that the rules depend on. New mounts come after it,
  /// so one that was mounted again has others before it. If it was the last one, the table is the
  /// same, and `returns` differs.
  private static func value(of lines: [Substring], _ files: FileReach, _ returns: Int) -> Int {
    let depends = files.dependence()
    let last = lines.lastIndex { RemoteMounts.place(in: $0).map(depends) ?? false }
    var hasher = Hasher()
    hasher.combine(returns)
    hasher.combine(lines[..<(last.map { $0 + 1 } ?? 0)])
    return hasher.finalize()
  }

  private static func lines(of file: Int32) -> [Substring] {
    guard file >= 0, lseek(file, 0, SEEK_SET) == 0 else { return [] }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
  }
}
