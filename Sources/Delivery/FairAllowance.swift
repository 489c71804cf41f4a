/// What users hold of something that there is only so much of, and that cannot be taken back from
/// them: each may have so much, and half of all is kept for those who have none. So nobody keeps
/// others out by what a few users hold.
package struct FairAllowance: Sendable {
  package private(set) var held: [UInt32: Int] = [:]
  package private(set) var total = 0
  private let limit: Int
  private let limitPerUser: Int

  package init(limit: Int, limitPerUser: Int) {
    self.limit = limit
    self.limitPerUser = limitPerUser
  }

  /// Whether a user may have so many more.
  package func mayAdd(_ count: Int = 1, for user: UInt32) -> Bool {
    let mine = held[user, default: 0]
    guard mine + count <= limitPerUser else { return false }
    return total + count <= (mine == 0 ? limit : limit / 2)
  }

  /// Whether or not they may.
  package mutating func add(_ count: Int = 1, for user: UInt32) {
    total += count
    let left = held[user, default: 0] + count
    held[user] = left > 0 ? left : nil
  }

  /// Adds so many where that is allowed.
  package mutating func take(_ count: Int = 1, for user: UInt32) -> Bool {
    guard mayAdd(count, for: user) else { return false }
    add(count, for: user)
    return true
  }

  package mutating func giveBack(_ count: Int = 1, of user: UInt32) { add(-count, for: user) }
}
