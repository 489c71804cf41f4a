import Glibc
import Monitor
import Synchronization

/// What all users' libraries share of the machine, such as the memory for copies of files: of all
/// together no more than there is, and of each user a part. It is asked for before it is used; who
/// does not get it waits, and is told of nobody else's.
package final class SharedAllowance: Sendable {
  /// What somebody has of it, until this is gone or has ended.
  package final class Share: Sendable {
    private let allowance: SharedAllowance
    private let user: UInt32
    private let held = Mutex(0)

    fileprivate init(_ allowance: SharedAllowance, _ user: UInt32) {
      self.allowance = allowance
      self.user = user
    }

    /// False where there is no room for so much now; then it has what it had.
    package func resize(to count: Int) -> Bool {
      held.withLock { held in
        let wanted = min(count, allowance.limitPerUser)
        guard allowance.change(by: wanted - held, for: user) else { return false }
        held = wanted
        return true
      }
    }

    package func end() { _ = resize(to: 0) }

    deinit { end() }
  }

  package static let unlimited = SharedAllowance(limit: .max, limitPerUser: .max)

  private let held: Mutex<FairAllowance>
  private let limitPerUser: Int

  /// - Parameters:
  ///   - limit: Of all users.
  ///   - limitPerUser: Of one; three quarters of all at most. Whoever needs more at once has so much.
  package init(limit: Int, limitPerUser: Int) {
    self.limitPerUser = min(limitPerUser, limit / 4 * 3)
    held = Mutex(FairAllowance(limit: limit, limitPerUser: self.limitPerUser))
  }

  /// Nil where there is no room for so much now.
  package func take(_ count: Int, of user: UInt32) -> Share? {
    let share = Share(self, user)
    return share.resize(to: count) ? share : nil
  }

  private func change(by count: Int, for user: UInt32) -> Bool {
    held.withLock { held in
      guard count > 0 else {
        held.giveBack(-count, of: user)
        return true
      }
      // Whoever is alone keeps nobody waiting; what one user may not have stays for the next one.
      let mine = held.held[user, default: 0]
      guard held.mayAdd(count, for: user) || mine == held.total && mine + count <= limitPerUser else { return false }
      held.add(count, for: user)
      return true
    }
  }
}

/// A user's part of an allowance, for whoever can wait for it: not on the loop.
package struct AllowanceOfUser: Sendable {
  private static var patience: useconds_t { 20_000 }

  private let allowance: SharedAllowance
  private let user: UInt32

  package init(_ allowance: SharedAllowance, user: UInt32) {
    self.allowance = allowance
    self.user = user
  }

  /// Waits until there is room.
  /// - Parameter checkpoint: Called meanwhile; what it throws ends the waiting.
  package func wait(for count: Int, checkpoint: () throws(DeliveryError) -> Void) throws(DeliveryError)
    -> SharedAllowance.Share
  {
    while true {
      if let share = allowance.take(count, of: user) { return share }
      try checkpoint()
      usleep(Self.patience)
    }
  }

  /// The same, for more of what somebody has.
  package func wait(
    for share: SharedAllowance.Share, toHave count: Int, checkpoint: () throws(DeliveryError) -> Void
  ) throws(DeliveryError) {
    while !share.resize(to: count) {
      try checkpoint()
      usleep(Self.patience)
    }
  }
}
