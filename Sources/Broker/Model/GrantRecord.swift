import Catalogue
package import PhotoModel

/// What one app may do in one library at one level: the durable part.
package struct GrantRecord: Sendable {
  package var key: GrantKey
  package var status: AuthorizationStatus {
    didSet { if status != oldValue { agreement = nil } }
  }
  /// The answer that the status came from. Nil: it came from no answer to a question, or from one
  /// of an earlier release.
  package var agreement: Agreement?
  package private(set) var isPaused: Bool
  /// Who paused it: what it reads meanwhile (R4). Nil: it is not paused.
  package private(set) var pausedBy: DecisionRole?
  /// Nil: until somebody ends it.
  package private(set) var expires: Timestamp?
  /// Who set the end: what it reads from then on (R4). Nil: there is none.
  package private(set) var endSetBy: DecisionRole?
  /// `none`, `own`, `full` or another installed policy.
  package var albumPolicy: String
  /// Who decided last.
  package var role: DecisionRole
  /// By which way, by which user, and from where they decided last (R131).
  package var source: DecisionSource
  package var decider: UInt32
  package var origin: String
  package var decided: Timestamp
  /// The token that goes with the grant. A revocation takes a new one, so that old tokens never come back to life (R4).
  package var accessor: Accessor
  /// Grows with every edit that takes something away. Nothing admitted under an older epoch leaves.
  package var epoch: UInt64
  /// Grows when the kind of view changes (limited, full, nothing): change tokens from before ask the app to start anew.
  package var viewGeneration: UInt32
  /// The library's change sequence at which the present kind of view began.
  package var viewSince: UInt64

  package init(
    key: GrantKey, status: AuthorizationStatus, isPaused: Bool, expires: Timestamp?, albumPolicy: String,
    role: DecisionRole, decided: Timestamp, accessor: Accessor, epoch: UInt64,
    viewGeneration: UInt32 = 0, viewSince: UInt64 = 0, source: DecisionSource = .settings, decider: UInt32 = 0,
    origin: String = "",
    pausedBy: DecisionRole? = nil, endSetBy: DecisionRole? = nil, agreement: Agreement? = nil
  ) {
    self.key = key
    self.status = status
    self.isPaused = isPaused
    self.expires = expires
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
  }

  /// Notes who decided last.
  mutating func setDecided(by decider: Decider, at time: Timestamp) {
    (role, source) = (decider.role, decider.source)
    (self.decider, origin) = (decider.uid, decider.origin)
    decided = time
  }

  /// Who paused it first has paused it.
  mutating func setPaused(_ isPaused: Bool, by role: DecisionRole?) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    pausedBy = isPaused ? role : nil
  }

  /// Who set an end first has set it.
  mutating func setEnd(_ end: Timestamp?, by role: DecisionRole?) {
    guard end != expires else { return }
    expires = end
    endSetBy = end == nil ? nil : role
  }
}
