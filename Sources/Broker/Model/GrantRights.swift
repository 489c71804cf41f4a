package import PhotoModel

/// The rights that a decision sets in a grant, without its selection.
package struct GrantRights: Sendable, Equatable {
  package var status: AuthorizationStatus
  package var isPaused: Bool
  /// The role that paused it. Nil: not paused.
  package var pausedBy: DecisionRole?
  /// Nil: no end.
  package var expires: Timestamp?
  /// The role that set the end. Nil: no end.
  package var endSetBy: DecisionRole?
  package var albumPolicy: String

  package init(
    status: AuthorizationStatus, isPaused: Bool, expires: Timestamp?, albumPolicy: String,
    pausedBy: DecisionRole? = nil,
    endSetBy: DecisionRole? = nil
  ) {
    self.status = status
    self.isPaused = isPaused
    self.expires = expires
    self.albumPolicy = albumPolicy
    self.pausedBy = pausedBy
    self.endSetBy = endSetBy
  }

  init(_ record: GrantRecord) {
    self.init(
      status: record.status, isPaused: record.isPaused, expires: record.expires, albumPolicy: record.albumPolicy,
      pausedBy: record.pausedBy, endSetBy: record.endSetBy)
  }
}
