/// Who begins the next call: one of each user in turn, and of one user's connections each in turn. However many calls one user has sent,
/// anybody else's next one waits for one call of each user at most.
///
/// Connections to both sockets wait here together: what an owner decides waits for no app of somebody else, and of their own apps for one
/// call each.
struct Turns<Waiter: AnyObject> {
  /// The only one that waits, which needs no order.
  private var only: (user: UInt32, waiter: Waiter)?
  /// Of each user with several that wait, or beside whom others wait: theirs, in turn.
  private var rings: [UInt32: [Waiter]] = [:]
  /// These users, in turn.
  private var users: [UInt32] = []

  var isEmpty: Bool { only == nil && users.isEmpty }

  /// Puts one, which does not wait yet, behind its user's others; a user of whom none waited goes behind all other users.
  mutating func add(_ waiter: Waiter, of user: UInt32) {
    if isEmpty { return only = (user, waiter) }
    if let first = only.take() { append(first.waiter, of: first.user) }
    append(waiter, of: user)
  }

  private mutating func append(_ waiter: Waiter, of user: UInt32) {
    if rings[user] == nil { users.append(user) }
    rings[user, default: []].append(waiter)
  }

  /// Takes the one whose turn it is. Its user is behind all others then.
  mutating func next() -> Waiter? {
    if let first = only.take() { return first.waiter }
    guard !users.isEmpty else { return nil }
    let user = users.removeFirst()
    let waiter = rings[user]?.removeFirst()
    if rings[user]?.isEmpty ?? true { rings[user] = nil } else { users.append(user) }
    return waiter
  }

  /// Forgets one that waits no longer.
  mutating func remove(_ waiter: Waiter, of user: UInt32) {
    if only?.waiter === waiter { only = nil }
    rings[user]?.removeAll { $0 === waiter }
    guard let left = rings[user], left.isEmpty else { return }
    rings[user] = nil
    users.removeAll { $0 == user }
  }
}
