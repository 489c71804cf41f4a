/// A quota, shared by users or apps, of a resource that cannot be taken back. Each has a limit, and
/// half of the total is reserved for those without any, so that a few cannot block others.
package struct Quota<User: Hashable & Sendable>: Sendable {
  package private(set) var held: [User: Int] = [:]
  package private(set) var total = 0
  private let limit: Int
  private let limitPerUser: Int

  package init(limit: Int = .max, limitPerUser: Int) {
    self.limit = limit
    self.limitPerUser = limitPerUser
  }

  /// Whether a user may have `count` more.
  package func mayAdd(_ count: Int = 1, for user: User) -> Bool {
    let mine = held[user, default: 0]
    guard mine + count <= limitPerUser else { return false }
    return total + count <= (mine == 0 ? limit : limit / 2)
  }

  /// Adds without a check; negative to give back, at most all.
  package mutating func add(_ count: Int = 1, for user: User) {
    let (mine, left) = (held[user, default: 0], max(held[user, default: 0] + count, 0))
    total += left - mine
    held[user] = left > 0 ? left : nil
  }

  /// Adds if allowed.
  package mutating func take(_ count: Int = 1, for user: User) -> Bool {
    guard mayAdd(count, for: user) else { return false }
    add(count, for: user)
    return true
  }

  package mutating func giveBack(_ count: Int = 1, of user: User) { add(-count, for: user) }
}
