/// Queues of asynchronous operations, one for each user, with a limit of concurrent ones. A user
/// with many operations delays only themselves.
final class UserTurns {
  private struct Waiting {
    let owner: AnyObject
    let begin: (_ done: @escaping () -> Void) -> Void
  }

  /// Concurrent operations of one user.
  private let limit: Int
  private var running: [UInt32: Int] = [:]
  private var waiting: [UInt32: [Waiting]] = [:]
  private var beginning: Set<UInt32> = []

  init(limit: Int) { self.limit = limit }

  func count(waitingOf user: UInt32) -> Int { waiting[user]?.count ?? 0 }

  /// Starts an operation, now or in its turn.
  /// - Parameters:
  ///   - owner: the object with which a pending operation is dropped.
  ///   - begin: starts the operation; it calls `done` once at the end.
  func take(_ user: UInt32, for owner: AnyObject, _ begin: @escaping (_ done: @escaping () -> Void) -> Void) {
    waiting[user, default: []].append(Waiting(owner: owner, begin: begin))
    beginNext(of: user)
  }

  /// Drops an owner's pending operations.
  func drop(_ owner: AnyObject, of user: UInt32) {
    guard waiting[user] != nil else { return }
    waiting[user]?.removeAll { $0.owner === owner }
    if waiting[user]?.isEmpty ?? false { waiting[user] = nil }
  }

  /// Iterates instead of recursing: an operation that ends at once must not start the next one
  /// inside of itself.
  private func beginNext(of user: UInt32) {
    guard beginning.insert(user).inserted else { return }
    defer { beginning.remove(user) }
    while running[user, default: 0] < limit, let next = waiting[user]?.removeFirst() {
      if waiting[user]?.isEmpty ?? false { waiting[user] = nil }
      running[user, default: 0] += 1
      next.begin { [self] in
        let left = running[user, default: 0] - 1
        running[user] = left > 0 ? left : nil
        beginNext(of: user)
      }
    }
  }
}
