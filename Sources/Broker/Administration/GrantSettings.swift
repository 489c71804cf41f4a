package import PhotoModel

/// What an owner or an administrator sets of a grant; nil leaves it.
package struct GrantSettings: Sendable {
  /// When a grant ends.
  package enum End: Sendable, Equatable {
    case never
    case at(Timestamp)
  }

  /// `notDetermined` forgets the decision and the selection.
  package var status: AuthorizationStatus?
  package var end: End?
  /// `none`, `own`, `full` or another installed policy; the caller checks that it is installed.
  package var albumPolicy: String?

  package init(status: AuthorizationStatus? = nil, end: End? = nil, albumPolicy: String? = nil) {
    self.status = status
    self.end = end
    self.albumPolicy = albumPolicy
  }

  var isEmpty: Bool { status == nil && end == nil && albumPolicy == nil }

  /// Sets it. `accessor` is for a grant that ends here, or comes back: old tokens never come back to life (R4).
  /// - Parameters:
  ///   - role: who sets it.
  ///   - hasEnded: the grant's own end has come already.
  func apply(to record: inout GrantRecord, by role: DecisionRole, accessor: Accessor, hasEnded: Bool) {
    let grantedBefore = record.status.grantsAccess && !hasEnded
    if let status { record.status = status }
    if !record.status.grantsAccess || !grantedBefore {
      record.accessor = accessor
      record.setEnd(nil, by: nil)
      record.setPaused(false, by: nil)
      record.agreement = nil
    }
    if let albumPolicy { record.albumPolicy = albumPolicy }
    // Nothing is kept of what nobody has decided.
    if record.status == .notDetermined { record.albumPolicy = "own" }
    switch end {
    case .at(let time) where record.status.grantsAccess: record.setEnd(time, by: role)
    case .never: record.setEnd(nil, by: nil)
    case .at, nil: break
    }
  }

  /// For the record of decisions.
  var action: String {
    switch status {
    case .authorized: "allow"
    case .limited: "limit"
    case .denied: "deny"
    case .restricted: "restrict"
    case .notDetermined: "forget"
    case nil: end != nil ? "expire" : "albums"
    }
  }
}
