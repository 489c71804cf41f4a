import Glibc
import Monitor
import Synchronization

/// A quota shared by all libraries' users, such as the memory for copies: a total limit, and one
/// per user. It is requested before use. A refused caller waits and learns nothing about others.
package final class SharedAllowance: Sendable {
  /// A part of the quota; deinitializing or ending it gives it back.
  package final class Share: Sendable {
    private let allowance: SharedAllowance
    private let user: UInt32
    private let held = Mutex(0)

    fileprivate init(_ allowance: SharedAllowance, _ user: UInt32) {
      self.allowance = allowance
      self.user = user
    }

    /// Resizes the share. False if there is no room now; the share is then unchanged.
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

  private let held: Mutex<Quota<UInt32>>
  private let limitPerUser: Int

  /// - Parameters:
  ///   - limit: The total limit.
  ///   - limitPerUser: One user's limit, at most three quarters of the total. A larger single
  ///     request gets this much.
  package init(limit: Int, limitPerUser: Int) {
    self.limitPerUser = min(limitPerUser, limit / 4 * 3)
    held = Mutex(Quota(limit: limit, limitPerUser: self.limitPerUser))
  }

  /// Nil if there is no room now.
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
      // A sole user delays nobody and may exceed half of the total, up to `limitPerUser`. The rest
      // remains for the next user.
      let mine = held.held[user, default: 0]
      guard held.mayAdd(count, for: user) || mine == held.total && mine + count <= limitPerUser else { return false }
      held.add(count, for: user)
      return true
    }
  }
}

/// A user's access to a shared quota for callers that can wait, which excludes the event loop.
package struct AllowanceOfUser: Sendable {
  private static var patience: useconds_t { 20_000 }

  private let allowance: SharedAllowance
  private let user: UInt32

  package init(_ allowance: SharedAllowance, user: UInt32) {
    self.allowance = allowance
    self.user = user
  }

  /// Waits until there is room.
  ///
  /// - Parameter checkpoint: Called while waiting; an error ends the wait.
  package func wait(for count: Int, checkpoint: () throws(DeliveryError) -> Void) throws(DeliveryError)
    -> SharedAllowance.Share
  {
    while true {
      if let share = allowance.take(count, of: user) { return share }
      try checkpoint()
      usleep(Self.patience)
    }
  }

  /// Waits until an existing share can grow.
  package func wait(
    for share: SharedAllowance.Share, toHave count: Int, checkpoint: () throws(DeliveryError) -> Void
  ) throws(DeliveryError) {
    while !share.resize(to: count) {
      try checkpoint()
      usleep(Self.patience)
    }
  }
}
