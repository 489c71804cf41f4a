import Supervisor
import Synchronization

/// Logs refused answers for the plugin's author, once for consecutive answers with the same fault.
final class RefusalNotes: Sendable {
  private let journal: (any ChildJournal)?
  private let last = Mutex<String?>(nil)

  init(_ journal: (any ChildJournal)?) { self.journal = journal }

  /// - Parameter complaint: the fault; nil for an answer without one.
  func note(_ complaint: String?) {
    guard let complaint else { return }
    let isNew = last.withLock { last in
      defer { last = complaint }
      return last != complaint
    }
    if isNew { journal?.childNoted(complaint, 0) }
  }
}
