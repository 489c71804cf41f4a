import Glibc
import Supervisor
import Synchronization

/// The newest error output, starts and ends of a plugin's processes, in memory. Only administrators
/// see it, because a plugin may write anything.
package final class PluginJournal: ChildJournal {
  package struct Entry: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case line
      case started, ended
      /// An action or observation of the broker: a refused load, a timeout, a pause before the next
      /// start.
      case note
    }

    /// Microseconds since 1970.
    package let time: Int64
    /// 0 for an entry without a process.
    package let process: Int32
    package let kind: Kind
    package let text: String
  }

  private struct State {
    var entries: [Entry] = []
    var dropped: Int64 = 0
    var lack: String?
  }

  /// Maximum number of kept entries. A line has at most 1,024 bytes.
  package static let limit = 500

  private let state = Mutex(State())
  private let firstLack: @Sendable (_ what: String) -> Void

  /// - Parameter firstLack: called once, for the first process without one of its limits, with the
  ///   consequence and a fix.
  package init(firstLack: @escaping @Sendable (_ what: String) -> Void = { _ in }) { self.firstLack = firstLack }

  /// The limit that this plugin's processes lack, in words for a person; nil if none.
  package var lack: String? { state.withLock { $0.lack } }

  private static let uncounted =
    "The kernel gives its processes no user namespace, so their number has no limit, and their children can outlive a "
    + "killed broker. Raise user.max_user_namespaces, or let the broker's service make them "
    + "(RestrictNamespaces=user pid)."
  private static let unenclosed =
    "The kernel gives it no namespace for its processes, so their children can outlive a killed broker. Raise "
    + "user.max_pid_namespaces, or let the broker's service make them (RestrictNamespaces=user pid)."

  /// Returns the newest entries, oldest first, and the number of older ones.
  package func newest(_ count: Int) -> (entries: [Entry], dropped: Int64) {
    state.withLock { state in
      let shown = state.entries.suffix(min(count, Self.limit))
      return (Array(shown), state.dropped + Int64(state.entries.count - shown.count))
    }
  }

  package func note(_ text: String) { add(.note, 0, text) }

  package func childStarted(_ process: Int32) { add(.started, process, "started") }

  package func childWrote(_ line: String, _ process: Int32) {
    add(.line, process, IsolatedPlugin.plain(line, limit: 1_024))
  }

  package func childEnded(_ how: String, _ process: Int32) { add(.ended, process, how) }

  package func childNoted(_ what: String, _ process: Int32) { add(.note, process, IsolatedPlugin.plain(what)) }

  package func childIsUncounted(_ process: Int32) { lacks(Self.uncounted) }

  package func childIsUnenclosed(_ process: Int32) { lacks(Self.unenclosed) }

  private func lacks(_ what: String) {
    let isFirst = state.withLock { state in
      defer { state.lack = state.lack ?? what }
      return state.lack == nil
    }
    guard isFirst else { return }
    note(what)
    firstLack(what)
  }

  private func add(_ kind: Entry.Kind, _ process: Int32, _ text: String) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let entry = Entry(
      time: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000, process: process, kind: kind, text: text)
    state.withLock { state in
      state.entries.append(entry)
      // Removes half of them at a time, so that endless output does not move all entries for each
      // line.
      guard state.entries.count >= 2 * Self.limit else { return }
      state.entries.removeFirst(state.entries.count - Self.limit)
      state.dropped += Int64(Self.limit)
    }
  }
}

/// A journal without the secrets of one plugin's settings.
struct RedactedJournal: ChildJournal {
  private let journal: any ChildJournal
  private let settings: PluginSettings

  init(_ journal: any ChildJournal, _ settings: PluginSettings) { (self.journal, self.settings) = (journal, settings) }

  func childStarted(_ process: Int32) { journal.childStarted(process) }
  func childWrote(_ line: String, _ process: Int32) { journal.childWrote(settings.redacted(line), process) }
  func childEnded(_ how: String, _ process: Int32) { journal.childEnded(how, process) }
  func childIsUncounted(_ process: Int32) { journal.childIsUncounted(process) }
  func childIsUnenclosed(_ process: Int32) { journal.childIsUnenclosed(process) }
  func childNoted(_ what: String, _ process: Int32) { journal.childNoted(settings.redacted(what), process) }
}
