import Delivery
import Limits

/// Quota of buffered bytes: incomplete messages, waiting calls and unread replies. It is bounded
/// for each user, since a user can have a thousand connections, and for all users, since one person
/// can have many uids.
struct HeldBytes {
  private var bytes: Quota<UInt32>
  private let limit: Int
  private let limitPerUser: Int

  init(
    limit: Int = MachineMemory.part(ServiceLimits.heldMemoryShare, least: 4 * ServiceLimits.heldBytesPerUser),
    limitPerUser: Int = ServiceLimits.heldBytesPerUser
  ) {
    self.limit = limit
    self.limitPerUser = limitPerUser
    bytes = Quota(limit: limit, limitPerUser: limitPerUser)
  }

  /// Changes the count of a user's connections by `change` bytes.
  /// - Returns: the user whose largest connection has to close: this user above the quota per user,
  ///   or the user with the most bytes above the limit for all. Nil: within both.
  mutating func count(_ change: Int, of uid: UInt32) -> UInt32? {
    bytes.add(change, for: uid)
    if bytes.held[uid, default: 0] > limitPerUser { return uid }
    return bytes.total > limit ? bytes.held.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key : nil
  }
}
