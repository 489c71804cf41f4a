import Glibc
import Supervisor
import Synchronization

/// What a plugin's processes wrote to their error output and how they began and ended: the newest of it, in memory. For the
/// broker's administrators alone, since a plugin may write whatever it likes.
package final class PluginJournal: ChildJournal {
  package struct Entry: Sendable, Equatable {
    package enum Kind: String, Sendable {
      /// A line of its error output.
      case line
      case started, ended
      /// What the broker did or noticed: a refused load, a missed deadline, a pause before the next start.
      case note
    }

    /// In microseconds since 1970.
    package let time: Int64
    /// 0: none.
    package let process: Int32
    package let kind: Kind
    package let text: String
  }

  private struct State {
    var entries: [Entry] = []
    var dropped: Int64 = 0
    var isUncounted = false
  }

  /// Entries that are kept; a line has at most 1,024 bytes.
  package static let limit = 500

  private let state = Mutex(State())
  private let firstUncounted: @Sendable () -> Void

  /// - Parameter firstUncounted: Called once, when the first process is started whose number nothing limits.
  package init(firstUncounted: @escaping @Sendable () -> Void = {}) { self.firstUncounted = firstUncounted }

  /// Whether a process was started that had no user namespace, in which alone a plugin's processes are counted.
  package var isUncounted: Bool { state.withLock { $0.isUncounted } }

  package static let uncounted =
    "The kernel gives its processes no user namespace, so that nothing limits how many they are. Raise user.max_user_namespaces, or "
    + "let the broker's service make them (RestrictNamespaces=user)."

  /// The newest entries, oldest first, and how many older ones there were.
  package func newest(_ count: Int) -> (entries: [Entry], dropped: Int64) {
    state.withLock { state in
      let shown = state.entries.suffix(min(count, Self.limit))
      return (Array(shown), state.dropped + Int64(state.entries.count - shown.count))
    }
  }

  package func note(_ text: String) { add(.note, 0, text) }

  package func childStarted(_ process: Int32) { add(.started, process, "started") }

  package func childWrote(_ line: String, _ process: Int32) { add(.line, process, IsolatedPlugin.plain(line, limit: 1_024)) }

  package func childEnded(_ how: String, _ process: Int32) { add(.ended, process, how) }

  package func childNoted(_ what: String, _ process: Int32) { add(.note, process, IsolatedPlugin.plain(what)) }

  package func childIsUncounted(_ process: Int32) {
    let isFirst = state.withLock { state in
      defer { state.isUncounted = true }
      return !state.isUncounted
    }
    guard isFirst else { return }
    note(Self.uncounted)
    firstUncounted()
  }

  private func add(_ kind: Entry.Kind, _ process: Int32, _ text: String) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let entry = Entry(time: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000, process: process, kind: kind, text: text)
    state.withLock { state in
      state.entries.append(entry)
      // In halves, so that an endless output does not move all of them for each line.
      guard state.entries.count >= 2 * Self.limit else { return }
      state.entries.removeFirst(state.entries.count - Self.limit)
      state.dropped += Int64(Self.limit)
    }
  }
}

/// A journal that the secrets of one plugin's settings do not get into.
struct RedactedJournal: ChildJournal {
  private let journal: any ChildJournal
  private let settings: PluginSettings

  init(_ journal: any ChildJournal, _ settings: PluginSettings) { (self.journal, self.settings) = (journal, settings) }

  func childStarted(_ process: Int32) { journal.childStarted(process) }
  func childWrote(_ line: String, _ process: Int32) { journal.childWrote(settings.redacted(line), process) }
  func childEnded(_ how: String, _ process: Int32) { journal.childEnded(how, process) }
  func childIsUncounted(_ process: Int32) { journal.childIsUncounted(process) }
  func childNoted(_ what: String, _ process: Int32) { journal.childNoted(settings.redacted(what), process) }
}
