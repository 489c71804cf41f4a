package import PhotoModel

/// A question that waits for a person; it survives a restart.
package struct PromptRecord: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// May the app have this level of access?
    case authorization
    /// Once in a life cycle: keep or change the selection (R53)?
    case keepSelection
    /// The app asked for its selection page (R62).
    case selection
  }

  package var identifier: AppIdentifier
  package var kind: Kind
  package var key: GrantKey
  package var asked: Timestamp

  package init(identifier: AppIdentifier, kind: Kind, key: GrantKey, asked: Timestamp) {
    self.identifier = identifier
    self.kind = kind
    self.key = key
    self.asked = asked
  }
}
