import Limits
import PhotoModel

/// Remembers who was told no, so that a program cannot wear a person down by asking again, not even
/// under a new identity.
struct DenialHistory {
  private struct Asker: Hashable {
    var library: LibraryName
    var uid: UInt32
  }

  private struct Denial {
    /// What the app calls itself.
    var claimed: String
    var level: AccessLevel
    var time: Timestamp
  }

  /// The latest of each user's, in the order of their times. More than these need not be known:
  /// with so many all of the user's apps wait.
  private var denials: [Asker: [Denial]] = [:]

  mutating func note(_ key: GrantKey, _ app: AppRecord, at time: Timestamp) {
    let asker = Asker(library: key.library, uid: app.uid)
    var latest = denials[asker] ?? []
    let place = latest.firstIndex { $0.time > time } ?? latest.endIndex
    latest.insert(Denial(claimed: app.manifest.identifier, level: key.level, time: time), at: place)
    denials[asker] = latest.suffix(BrokerLimits.denialsPerUser)
  }

  /// The owner took the decision back: the app may ask again. What others were told stays.
  mutating func forgive(_ key: GrantKey, _ app: AppRecord) {
    denials[Asker(library: key.library, uid: app.uid)]?.removeAll {
      $0.claimed == app.manifest.identifier && $0.level == key.level
    }
  }

  /// Until when the person, who has said no so often within a while, is left alone; nil: they may be asked.
  func pause(_ key: GrantKey, _ app: AppRecord, now: Timestamp) -> Timestamp? {
    let all = denials[Asker(library: key.library, uid: app.uid)] ?? []
    let own = all.filter { $0.claimed == app.manifest.identifier && $0.level == key.level }
    return [
      Self.pause(all, BrokerLimits.denialsPerUser, now: now), Self.pause(own, BrokerLimits.denialsPerApp, now: now),
    ]
    .compactMap { $0 }.max()
  }

  /// A pause where the latest of so many denials is not long ago, and the first of them was not
  /// long before that one. Those count for none that a clock which ran ahead dated far into the
  /// future.
  private static func pause(_ denials: [Denial], _ limit: Int, now: Timestamp) -> Timestamp? {
    let past = denials.filter { now.advanced(by: BrokerLimits.coolDown) > $0.time }
    guard past.count >= limit, let last = past.last?.time else { return nil }
    let first = past[past.count - limit].time
    let end = last.advanced(by: BrokerLimits.coolDown)
    return first.advanced(by: BrokerLimits.coolDown) > last && end > now ? end : nil
  }
}
