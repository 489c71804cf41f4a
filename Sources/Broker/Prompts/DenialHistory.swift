import Limits
import PhotoModel

/// Remembers denials, so that a program cannot wear a person down by asking again, even under a new
/// identity.
struct DenialHistory {
  private struct Asker: Hashable {
    var library: LibraryName
    var uid: UInt32
  }

  private struct Denial {
    /// The manifest's identifier.
    var claimed: String
    var level: AccessLevel
    var time: Timestamp
  }

  /// The latest of each user, in the order of their times. The limit is enough, because that many
  /// pause all of the user's apps.
  private var denials: [Asker: [Denial]] = [:]

  mutating func note(_ key: GrantKey, _ app: AppRecord, at time: Timestamp) {
    let asker = Asker(library: key.library, uid: app.uid)
    var latest = denials[asker] ?? []
    let place = latest.firstIndex { $0.time > time } ?? latest.endIndex
    latest.insert(Denial(claimed: app.manifest.identifier, level: key.level, time: time), at: place)
    denials[asker] = latest.suffix(BrokerLimits.denialsPerUser)
  }

  /// Removes an app's denials after the owner forgot the decision; denials of other apps stay.
  mutating func forgive(_ key: GrantKey, _ app: AppRecord) {
    denials[Asker(library: key.library, uid: app.uid)]?.removeAll {
      $0.claimed == app.manifest.identifier && $0.level == key.level
    }
  }

  /// The end of the pause after repeated denials; nil: no pause.
  func pause(_ key: GrantKey, _ app: AppRecord, now: Timestamp) -> Timestamp? {
    let all = denials[Asker(library: key.library, uid: app.uid)] ?? []
    let own = all.filter { $0.claimed == app.manifest.identifier && $0.level == key.level }
    return [
      Self.pause(all, BrokerLimits.denialsPerUser, now: now), Self.pause(own, BrokerLimits.denialsPerApp, now: now),
    ]
    .compactMap { $0 }.max()
  }

  /// A pause until a cool-down after the latest denial, if `limit` denials came within one
  /// cool-down. Denials dated far into the future, by a clock that ran ahead, do not count.
  private static func pause(_ denials: [Denial], _ limit: Int, now: Timestamp) -> Timestamp? {
    let past = denials.filter { now.advanced(by: BrokerLimits.coolDown) > $0.time }
    guard past.count >= limit, let last = past.last?.time else { return nil }
    let first = past[past.count - limit].time
    let end = last.advanced(by: BrokerLimits.coolDown)
    return first.advanced(by: BrokerLimits.coolDown) > last && end > now ? end : nil
  }
}
