package import PhotoModel

/// One edit of rights: who, when, from where, before and after (R131).
package struct DecisionRecord: Sendable, Equatable {
  package var time: Timestamp
  package var actor: UInt32
  package var role: DecisionRole
  /// The deciding program's name, as far as it can be read.
  package var origin: String
  /// For instance `allow`, `select`, `revoke`.
  package var action: String
  package var key: GrantKey
  /// For instance `limited, 3 selected`.
  package var before: String
  package var after: String

  package init(
    time: Timestamp, actor: UInt32, role: DecisionRole, origin: String, action: String, key: GrantKey, before: String,
    after: String
  ) {
    self.time = time
    self.actor = actor
    self.role = role
    self.origin = origin
    self.action = action
    self.key = key
    self.before = before
    self.after = after
  }
}
