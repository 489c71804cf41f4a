import PhotoModel

/// A removed app. Readers of the ledger and of decisions, which still mention it, get its claimed
/// identifier (R139).
package struct FormerApp: Sendable, Equatable {
  package let identifier: AppIdentifier
  /// The identifier in its manifest.
  package let claimed: String
  package let uid: UInt32
  /// Whether another user ever decided about it, had a prompt of it, or gave it photos.
  package let isKnownToOthers: Bool

  /// Limit for each user, separately for apps that others knew and for all other apps; the oldest
  /// are dropped.
  package static let keptPerUser = 1_000

  package init(identifier: AppIdentifier, claimed: String, uid: UInt32, isKnownToOthers: Bool) {
    self.identifier = identifier
    self.claimed = claimed
    self.uid = uid
    self.isKnownToOthers = isKnownToOthers
  }
}
