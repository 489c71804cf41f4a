import Delivery
import Limits

/// What each user's connections make the service hold: messages that have not ended, calls that
/// wait, replies that nobody reads. Bounded per user, since a thousand connections could each hold
/// what one may, and over all of them, since one person may have many users' numbers.
struct HeldBytes {
  private var byUser: [UInt32: Int] = [:]
  private var total = 0
  private let limit: Int
  private let limitPerUser: Int

  init(
    limit: Int = MachineMemory.part(ServiceLimits.heldMemoryShare, least: 4 * ServiceLimits.heldBytesPerUser),
    limitPerUser: Int = ServiceLimits.heldBytesPerUser
  ) {
    self.limit = limit
    self.limitPerUser = limitPerUser
  }

  /// A connection holds `change` bytes more than before, or less.
  /// - Returns: a user whose connections now hold too much together, the one of which that holds
  ///   most has to go: this one, or where all users' do whoever has most.
  mutating func count(_ change: Int, of uid: UInt32) -> UInt32? {
    let before = byUser[uid, default: 0]
    let held = max(before + change, 0)
    byUser[uid] = held > 0 ? held : nil
    total += held - before
    if held > limitPerUser { return uid }
    return total > limit ? byUser.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key : nil
  }
}
