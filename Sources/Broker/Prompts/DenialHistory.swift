import Limits
import PhotoModel

/// Remembers who was told no, so that a program cannot wear a person down by asking again, not even under a new identity.
struct DenialHistory {
  private struct Claim: Hashable {
    var library: LibraryName
    var uid: UInt32
    /// What the app calls itself; nil: all apps of the user.
    var claimed: String?
    var level: AccessLevel?
  }

  private var denials: [Claim: [Timestamp]] = [:]

  mutating func note(_ key: GrantKey, _ app: AppRecord, at time: Timestamp) {
    for claim in claims(key, app) {
      denials[claim, default: []].append(time)
      let surplus = denials[claim, default: []].count - BrokerLimits.denialsPerUser
      if surplus > 0 { denials[claim]?.removeFirst(surplus) }
    }
  }

  /// The owner took the decision back: the app may ask again.
  mutating func forgive(_ key: GrantKey, _ app: AppRecord) {
    for claim in claims(key, app) { denials[claim] = nil }
  }

  /// Whether the person has said no so often that they are left alone for a while.
  func isCoolingDown(_ key: GrantKey, _ app: AppRecord, now: Timestamp) -> Bool {
    claims(key, app).contains { claim in
      let limit = claim.claimed == nil ? BrokerLimits.denialsPerUser : BrokerLimits.denialsPerApp
      return (denials[claim] ?? []).count { $0.advanced(by: BrokerLimits.coolDown) > now } >= limit
    }
  }

  private func claims(_ key: GrantKey, _ app: AppRecord) -> [Claim] {
    [
      Claim(library: key.library, uid: app.uid, claimed: app.manifest.identifier, level: key.level),
      Claim(library: key.library, uid: app.uid),
    ]
  }
}
