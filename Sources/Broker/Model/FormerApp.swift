import PhotoModel

/// An app that somebody removed. The ledger and the decisions name it still, and who reads them is told what it called itself (R139).
package struct FormerApp: Sendable, Equatable {
  package let identifier: AppIdentifier
  /// What its manifest called itself.
  package let claimed: String
  package let uid: UInt32

  /// Of each user, how many are known by their names still; the oldest make room.
  package static let keptPerUser = 1_000

  package init(identifier: AppIdentifier, claimed: String, uid: UInt32) {
    self.identifier = identifier
    self.claimed = claimed
    self.uid = uid
  }
}
