package import PhotoModel

/// One edit of rights: who, when, from where, before and after (R131).
package struct DecisionRecord: Sendable, Equatable {
  package var time: Timestamp
  package var actor: UInt32
  package var role: DecisionRole
  package var source: DecisionSource
  /// The deciding program's name, as far as it can be read; for a rule its name.
  package var origin: String
  /// For instance `allow`, `select`, `revoke`.
  package var action: String
  /// Nil: about the whole broker, such as who its administrators are.
  package var library: LibraryName?
  /// Nil: about the library as a whole, such as who its co-owners are.
  package var app: AppIdentifier?
  package var level: AccessLevel?
  /// For instance `limited, 3 selected`.
  package var before: String
  package var after: String
  /// The earlier decision that this one took back.
  package var undoes: UInt64?
  /// What the app said of itself in the question that this one answered. Nil: it answered none, or
  /// one of an earlier release.
  package var words: ShownWords?

  package init(
    time: Timestamp, actor: UInt32, role: DecisionRole, source: DecisionSource = .settings, origin: String,
    action: String,
    key: GrantKey, before: String, after: String, undoes: UInt64? = nil
  ) {
    self.init(
      time: time, by: Decider(uid: actor, role: role, origin: origin, source: source), action: action,
      library: key.library,
      app: key.app, level: key.level, before: before, after: after, undoes: undoes)
  }

  package init(
    time: Timestamp, by decider: Decider, action: String, library: LibraryName?, app: AppIdentifier? = nil,
    level: AccessLevel? = nil, before: String, after: String, undoes: UInt64? = nil, words: ShownWords? = nil
  ) {
    self.time = time
    actor = decider.uid
    role = decider.role
    source = decider.source
    origin = decider.origin
    self.action = action
    self.library = library
    self.app = app
    self.level = level
    self.before = before
    self.after = after
    self.undoes = undoes
    self.words = words
  }

  /// Which grant it is about; nil: none.
  package var key: GrantKey? {
    guard let library, let app, let level else { return nil }
    return GrantKey(library: library, app: app, level: level)
  }
}
