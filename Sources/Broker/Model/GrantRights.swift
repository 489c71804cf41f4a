package import PhotoModel

/// The rights that a decision sets in a grant, without its selection.
package struct GrantRights: Sendable, Equatable {
  package var status: AuthorizationStatus
  package var isPaused: Bool
  /// The role that paused it. Nil: not paused.
  package var pausedBy: DecisionRole?
  /// Nil: no end.
  package var expires: Timestamp?
  /// Whether it ends with a life cycle of the app.
  package var isOnce: Bool
  /// The role that set the end. Nil: no end.
  package var endSetBy: DecisionRole?
  package var albumPolicy: String
  package var terms: GrantTerms
  package var live: LiveSelection?
  /// The answer that set the status. Nil: it came from no prompt.
  package var agreement: Agreement?

  package init(
    status: AuthorizationStatus, isPaused: Bool, expires: Timestamp?, albumPolicy: String,
    pausedBy: DecisionRole? = nil, isOnce: Bool = false,
    endSetBy: DecisionRole? = nil, agreement: Agreement? = nil, terms: GrantTerms = .standard,
    live: LiveSelection? = nil
  ) {
    self.status = status
    self.isPaused = isPaused
    self.expires = expires
    self.isOnce = isOnce
    self.albumPolicy = albumPolicy
    self.pausedBy = pausedBy
    self.endSetBy = endSetBy
    self.agreement = agreement
    self.terms = terms
    self.live = live
  }

  init(_ record: GrantRecord) {
    self.init(
      status: record.status, isPaused: record.isPaused, expires: record.expires, albumPolicy: record.albumPolicy,
      pausedBy: record.pausedBy, isOnce: record.isOnce, endSetBy: record.endSetBy, agreement: record.agreement,
      terms: record.terms, live: record.live)
  }

  struct End: Equatable {
    let expires: Timestamp?
    let isOnce: Bool
  }

  var end: End {
    get { End(expires: expires, isOnce: isOnce) }
    set { (expires, isOnce) = (newValue.expires, newValue.isOnce) }
  }
}

/// The roles and the agreement change together with other fields, so they are not listed.
extension GrantRights: DecidedObject {
  static var fields: [DecidedField<Self>] {
    [
      DecidedField(\.status) { .statusMoved($0) },
      DecidedField(\.isPaused) {
        $0.isPaused ? Reason(.isPaused, "it is paused") : Reason(.wasResumed, "it was resumed")
      },
      DecidedField(\.end) { _ in Reason(.endMoved, "its end was changed") },
      DecidedField(\.albumPolicy) {
        Reason(.albumsMoved, "its albums are \($0.albumPolicy)", ["policy": $0.albumPolicy])
      },
      DecidedField(\.terms) { _ in Reason(.termsMoved, "its terms were changed") },
      // Exclusions are assets of the decision.
      DecidedField(\.live, isSame: LiveSelection.agree) { _ in Reason(.selectionMoved, "its selection was edited") },
    ]
  }
}

extension Reason {
  static func statusMoved(_ rights: GrantRights) -> Self {
    Reason(.statusMoved, "the access is “\(rights.status.ownersWords)”", ["status": rights.status.name])
  }
}

extension AuthorizationStatus {
  /// The status in messages to owners; PhotoKit's names are for apps.
  var ownersWords: String {
    switch self {
    case .notDetermined: "not asked yet"
    case .restricted: "blocked by the administrator"
    case .denied: "no access"
    case .authorized: "full access"
    case .limited: "selected photos"
    }
  }
}
