import Limits

/// What each user's connections make the service hold: messages that have not ended, calls that wait, replies that nobody
/// reads. Bounded per user, since a thousand connections could each hold what one may.
struct HeldBytes {
  private var byUser: [UInt32: Int] = [:]
  private let limit: Int

  init(limit: Int = ServiceLimits.heldBytesPerUser) { self.limit = limit }

  /// A connection holds `change` bytes more than before, or less. True: its user's connections now hold too much together,
  /// and the one that holds most has to go.
  mutating func count(_ change: Int, of uid: UInt32) -> Bool {
    let held = byUser[uid, default: 0] + change
    byUser[uid] = held > 0 ? held : nil
    return held > limit
  }
}
