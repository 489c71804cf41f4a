package import PhotoModel

/// A pending prompt, which survives a restart.
package struct PromptRecord: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Asks for a level of access.
    case authorization
    /// Asks whether to keep the selection, once in a life cycle (R53).
    case keepSelection
    /// Shows the selection page at the app's request (R62).
    case selection
    /// Asks whether to resume a grant whose app took more than its allowance (R157).
    case allowance

    /// Whether an app asks under a token.
    var hasToken: Bool { self == .keepSelection || self == .selection }
  }

  package var identifier: AppIdentifier
  package var kind: Kind
  package var key: GrantKey
  package var asked: Timestamp
  /// For `allowance`: the limit that the app exceeded.
  package var exceeded: Allowance.Limit?

  package init(
    identifier: AppIdentifier, kind: Kind, key: GrantKey, asked: Timestamp, exceeded: Allowance.Limit? = nil
  ) {
    self.identifier = identifier
    self.kind = kind
    self.key = key
    self.asked = asked
    self.exceeded = exceeded
  }
}
