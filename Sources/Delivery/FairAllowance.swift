/// A quota, shared by users, of a resource that cannot be taken back. Each user has a limit, and
/// half of the total is reserved for users without any, so that a few cannot block others.
package struct FairAllowance: Sendable {
  package private(set) var held: [UInt32: Int] = [:]
  package private(set) var total = 0
  private let limit: Int
  private let limitPerUser: Int

  package init(limit: Int, limitPerUser: Int) {
    self.limit = limit
    self.limitPerUser = limitPerUser
  }

  /// Whether a user may have `count` more.
  package func mayAdd(_ count: Int = 1, for user: UInt32) -> Bool {
    let mine = held[user, default: 0]
    guard mine + count <= limitPerUser else { return false }
    return total + count <= (mine == 0 ? limit : limit / 2)
  }

  /// Adds without a check; negative to give back.
  package mutating func add(_ count: Int = 1, for user: UInt32) {
    total += count
    let left = held[user, default: 0] + count
    held[user] = left > 0 ? left : nil
  }

  /// Adds if allowed.
  package mutating func take(_ count: Int = 1, for user: UInt32) -> Bool {
    guard mayAdd(count, for: user) else { return false }
    add(count, for: user)
    return true
  }

  package mutating func giveBack(_ count: Int = 1, of user: UInt32) { add(-count, for: user) }
}
