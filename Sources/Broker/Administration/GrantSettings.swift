package import PhotoModel

/// Settings of a grant that an owner or an administrator changes; nil keeps a setting.
package struct GrantSettings: Sendable {
  package enum End: Sendable, Equatable {
    case never
    case at(Timestamp)
    /// With the app's life cycle.
    case once
  }

  /// `notDetermined` deletes the decision and the selection.
  package var status: AuthorizationStatus?
  package var end: End?
  /// `none`, `own`, `full` or another installed policy. The caller checks that it is installed.
  package var albumPolicy: String?
  package var terms = GrantTerms.Choice()
  /// The library's default terms, for access that begins and whose terms nobody chose. Rules have
  /// terms of their own.
  var defaults = GrantTerms.standard

  package init(status: AuthorizationStatus? = nil, end: End? = nil, albumPolicy: String? = nil) {
    self.status = status
    self.end = end
    self.albumPolicy = albumPolicy
  }

  var isEmpty: Bool { status == nil && end == nil && albumPolicy == nil && terms.isEmpty }

  /// Applies the settings to a record.
  /// - Parameters:
  ///   - role: the role of the person who sets them.
  ///   - accessor: the new accessor for a grant that ends or comes back, so that old tokens stay
  ///     invalid (R4).
  ///   - hasEnded: whether the grant's end is in the past.
  func apply(to record: inout GrantRecord, by role: DecisionRole, accessor: Accessor, hasEnded: Bool) {
    let grantedBefore = record.status.grantsAccess && !hasEnded
    let wasLimited = grantedBefore && record.status == .limited
    let isUnchosen = !grantedBefore && record.terms == .standard && record.key.level == .readWrite
    if let status { record.status = status }
    if !record.status.grantsAccess || !grantedBefore {
      record.accessor = accessor
      record.setEnd(nil, by: nil)
      record.setPaused(false, by: nil)
      record.agreement = nil
    }
    // Limited access begins without places, whatever full access had.
    if record.status == .limited, !wasLimited { record.terms.location = nil }
    // Access that comes back asks again, whatever it had.
    if !grantedBefore {
      record.terms.deletions = min(record.terms.deletions, .ask)
      if record.terms.allowance[.photosPerDay] == 0 { record.terms.allowance[.photosPerDay] = nil }
    }
    if record.status.grantsAccess, isUnchosen { record.terms = defaults }
    if let albumPolicy { record.albumPolicy = albumPolicy }
    if record.status.grantsAccess { terms.apply(to: &record.terms) }
    // A grant without a decision keeps no settings.
    if record.status == .notDetermined { (record.albumPolicy, record.terms) = ("own", .standard) }
    switch end {
    case .at(let time) where record.status.grantsAccess: record.setEnd(time, by: role)
    case .once where record.status.grantsAccess: record.setEnd(nil, isOnce: true, by: role)
    case .never: record.setEnd(nil, by: nil)
    case .at, .once, nil: break
    }
  }

  var action: String {
    switch status {
    case .authorized: "allow"
    case .limited: "limit"
    case .denied: "deny"
    case .restricted: "restrict"
    case .notDetermined: "forget"
    case nil: end != nil ? "expire" : albumPolicy != nil ? "albums" : "terms"
    }
  }
}
