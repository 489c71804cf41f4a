package import PhotoModel

/// What a decision sets of a grant, beside its selection.
package struct GrantRights: Sendable, Equatable {
  package var status: AuthorizationStatus
  package var isPaused: Bool
  /// Nil: nobody, or a decision of an earlier release, which did not keep it.
  package var pausedBy: DecisionRole?
  /// Nil: until somebody ends it.
  package var expires: Timestamp?
  /// Nil as with `pausedBy`.
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
