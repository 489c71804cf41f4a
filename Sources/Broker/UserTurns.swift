/// What each user begins and what then waits for the disk: so many at a time of one user, the rest
/// in order. Who begins much waits for themselves.
final class UserTurns {
  private struct Waiting {
    let owner: AnyObject
    let begin: (_ done: @escaping () -> Void) -> Void
  }

  /// How many of one user are under way at a time.
  private let limit: Int
  private var running: [UInt32: Int] = [:]
  private var waiting: [UInt32: [Waiting]] = [:]
  private var beginning: Set<UInt32> = []

  init(limit: Int) { self.limit = limit }

  func count(waitingOf user: UInt32) -> Int { waiting[user]?.count ?? 0 }

  /// Begins something, now or when it is its turn.
  /// - Parameters:
  ///   - owner: by whom it is dropped where that ends first.
  ///   - begin: called with what is to be called once when it is over.
  func take(_ user: UInt32, for owner: AnyObject, _ begin: @escaping (_ done: @escaping () -> Void) -> Void) {
    waiting[user, default: []].append(Waiting(owner: owner, begin: begin))
    beginNext(of: user)
  }

  /// Forgets what has not begun.
  func drop(_ owner: AnyObject, of user: UInt32) {
    guard waiting[user] != nil else { return }
    waiting[user]?.removeAll { $0.owner === owner }
    if waiting[user]?.isEmpty ?? false { waiting[user] = nil }
  }

  /// One after the other: what is over at once must not begin the same user's next one inside of itself.
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
