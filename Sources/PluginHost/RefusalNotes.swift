import Supervisor
import Synchronization

/// Tells a plugin's log what of its answers is refused, where its author finds it; not again for
/// each answer with the same fault.
final class RefusalNotes: Sendable {
  private let journal: (any ChildJournal)?
  private let last = Mutex<String?>(nil)

  init(_ journal: (any ChildJournal)?) { self.journal = journal }

  /// - Parameter complaint: Nil: nothing was refused, which says nothing of the next answer.
  func note(_ complaint: String?) {
    guard let complaint else { return }
    let isNew = last.withLock { last in
      defer { last = complaint }
      return last != complaint
    }
    if isNew { journal?.childNoted(complaint, 0) }
  }
}
