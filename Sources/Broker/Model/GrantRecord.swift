import Catalogue
package import PhotoModel

/// The stored part of a grant: the rights of one app in one library at one level.
package struct GrantRecord: Sendable {
  package var key: GrantKey
  package var status: AuthorizationStatus {
    didSet {
      if status != oldValue { agreement = nil }
      // A suggestion is not live.
      if status == .notDetermined { live = nil }
    }
  }
  /// The answer that set the status. Nil: it came from no prompt.
  package var agreement: Agreement?
  package private(set) var isPaused: Bool
  /// The role that paused it, on which the reported status depends (R4). Nil: not paused.
  package private(set) var pausedBy: DecisionRole?
  /// Nil: no end.
  package private(set) var expires: Timestamp?
  /// Whether it ends with a life cycle of the app (R160).
  package private(set) var isOnce: Bool
  /// The role that set the end, on which the status after the end depends (R4). Nil: no end.
  package private(set) var endSetBy: DecisionRole?
  /// `none`, `own`, `full` or another installed policy.
  package var albumPolicy: String
  package var terms: GrantTerms
  /// The conditions by which assets join and leave the selection. Nil: they do not.
  package var live: LiveSelection?
  /// The role of the last decision.
  package var role: DecisionRole
  /// The origin, user and program of the last decision (R131).
  package var source: DecisionSource
  package var decider: UInt32
  package var origin: String
  package var decided: Timestamp
  /// The accessor of the grant's token. A revocation replaces it, so that old tokens stay invalid
  /// (R4).
  package var accessor: Accessor
  /// Grows with every restriction. Replies that were prepared under an older epoch are dropped.
  package var epoch: UInt64
  /// Grows with every change between limited, full and no access, and makes older change tokens
  /// invalid.
  package var viewGeneration: UInt32
  /// The library's change sequence at the start of the present view.
  package var viewSince: UInt64

  package init(
    key: GrantKey, status: AuthorizationStatus, isPaused: Bool, expires: Timestamp?, albumPolicy: String,
    role: DecisionRole, decided: Timestamp, accessor: Accessor, epoch: UInt64,
    viewGeneration: UInt32 = 0, viewSince: UInt64 = 0, source: DecisionSource = .settings, decider: UInt32 = 0,
    origin: String = "",
    pausedBy: DecisionRole? = nil, isOnce: Bool = false, endSetBy: DecisionRole? = nil, agreement: Agreement? = nil,
    terms: GrantTerms = .standard, live: LiveSelection? = nil
  ) {
    self.key = key
    self.status = status
    self.isPaused = isPaused
    self.expires = expires
    self.isOnce = isOnce
    self.albumPolicy = albumPolicy
    self.role = role
    self.decided = decided
    self.accessor = accessor
    self.epoch = epoch
    self.viewGeneration = viewGeneration
    self.viewSince = viewSince
    self.source = source
    self.decider = decider
    self.origin = origin
    self.pausedBy = pausedBy
    self.endSetBy = endSetBy
    self.agreement = agreement
    self.terms = terms
    self.live = live
  }

  mutating func setDecided(by decider: Decider, at time: Timestamp) {
    (role, source) = (decider.role, decider.source)
    (self.decider, origin) = (decider.uid, decider.origin)
    decided = time
  }

  /// Sets the pause. The role of the first pause stays.
  mutating func setPaused(_ isPaused: Bool, by role: DecisionRole?) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    pausedBy = isPaused ? role : nil
  }

  /// Sets the end. The role that first set the same end stays.
  mutating func setEnd(_ end: Timestamp?, isOnce: Bool = false, by role: DecisionRole?) {
    guard end != expires || isOnce != self.isOnce else { return }
    expires = end
    self.isOnce = isOnce
    endSetBy = end == nil && !isOnce ? nil : role
  }
}
