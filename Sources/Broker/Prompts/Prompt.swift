/// A question while the broker runs, and who waits for its answer.
package final class Prompt {
  package let record: PromptRecord
  /// The user who is asked.
  package let owner: UInt32
  /// The user whose app asks.
  let user: UInt32
  private var waiters: [(session: Session, end: () -> Void)] = []
  /// True while an answer is on its way to the disk: no second one is taken.
  var isBeingAnswered = false

  init(record: PromptRecord, owner: UInt32, user: UInt32) {
    self.record = record
    self.owner = owner
    self.user = user
  }

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
