/// A question while the broker runs, and who waits for its answer.
package final class Prompt {
  package let record: PromptRecord
  let library: LibraryState
  /// The user whose app asks.
  let user: UInt32
  private var waiters: [(session: Session, end: () -> Void)] = []
  /// True while an answer is on its way to the disk: no second one is taken.
  var isBeingAnswered = false
  /// Answers in the making.
  var drafts = SelectionDrafts()
  /// A rule that is to answer it. Nil: a person is.
  var rule: RuleRecord?

  init(record: PromptRecord, library: LibraryState, user: UInt32) {
    self.record = record
    self.library = library
    self.user = user
  }

  /// The users who are asked: whoever answers first answers for all (R126).
  package var owners: Set<UInt32> { library.record.owners }

  /// How many connections wait.
  package var waiting: Int { waiters.count }

  func wait(_ session: Session, end: @escaping () -> Void) { waiters.append((session, end)) }

  func stopWaiting(_ session: Session) { waiters.removeAll { $0.session === session } }

  func takeWaiters() -> [() -> Void] { takeSessions().map(\.1) }

  func takeSessions() -> [(Session, () -> Void)] {
    defer { waiters = [] }
    return waiters
  }
}
