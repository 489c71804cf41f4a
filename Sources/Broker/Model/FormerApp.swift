import PhotoModel

/// An app that somebody removed. The ledger and the decisions name it still, and who reads them is
/// told what it called itself (R139).
package struct FormerApp: Sendable, Equatable {
  package let identifier: AppIdentifier
  /// What its manifest called itself.
  package let claimed: String
  package let uid: UInt32
  /// Whether somebody else than its user ever had to do with it: decided on it, was asked, or gave it photos.
  package let isKnownToOthers: Bool

  /// Of each user, how many are known by their names still, of those that others knew and of those
  /// that nobody else did; the oldest make room.
  package static let keptPerUser = 1_000

  package init(identifier: AppIdentifier, claimed: String, uid: UInt32, isKnownToOthers: Bool) {
    self.identifier = identifier
    self.claimed = claimed
    self.uid = uid
    self.isKnownToOthers = isKnownToOthers
  }
}
