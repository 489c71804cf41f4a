import Glibc
import Synchronization

/// Tells whether something was mounted or taken away, as far as this program sees it. It asks the
/// kernel's table, and none of the disks.
final class MountTable: Sendable {
  static let shared = MountTable()

  /// What was mounted when a child was started.
  struct Mark {
    var age = 0
    /// Another number says that something changed that matters to the child.
    var value = 0
  }

  private struct State {
    var age = 0
    /// How often the table was the same after a change: what was taken away was mounted again.
    var returns = 0
    var lines: [Substring] = []
  }

  /// Of the program's whole life; -1 where the system has no such file.
  private let file: Int32
  private let state: Mutex<State>

  private init() {
    file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    state = Mutex(State(lines: Self.lines(of: file)))
  }

  /// - Parameter known: What was marked last for the same child: nothing is read where nothing has changed since.
  func mark(_ options: ChildOptions, known: Mark) -> Mark {
    guard options.renewal != .never else { return known }
    let now = state.withLock { state in
      // The kernel tells of all that happened since it was asked last, once.
      var poll = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
      if Glibc.poll(&poll, 1, 0) > 0 {
        let lines = Self.lines(of: file)
        if lines == state.lines { state.returns += 1 }
        (state.age, state.lines) = (state.age + 1, lines)
      }
      return state
    }
    // The number 0 is of no table: what is marked first is read.
    let age = now.age + 1
    guard age != known.age else { return known }
    guard options.renewal == .afterMountsAtItsRules, let files = options.files else {
      return Mark(age: age, value: age)
    }
    return Mark(age: age, value: Self.value(of: now.lines, files, now.returns))
  }

  /// Of the table down to the last mount that the rules depend on: new ones come after it, so that
  /// the same one, taken away and mounted again, has others before it. Where it is the last one the
  /// table is the same then, which is counted.
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
