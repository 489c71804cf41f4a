package import PhotoModel

/// What a decision sets of a grant, beside its selection.
package struct GrantRights: Sendable, Equatable {
  package var status: AuthorizationStatus
  package var isPaused: Bool
  /// Nil: until somebody ends it.
  package var expires: Timestamp?
  package var albumPolicy: String

  package init(status: AuthorizationStatus, isPaused: Bool, expires: Timestamp?, albumPolicy: String) {
    self.status = status
    self.isPaused = isPaused
    self.expires = expires
    self.albumPolicy = albumPolicy
  }

  init(_ record: GrantRecord) {
    self.init(status: record.status, isPaused: record.isPaused, expires: record.expires, albumPolicy: record.albumPolicy)
  }
}
