package import PhotoModel

/// The record of one decision: person, time, program, and the state before and after (R131).
package struct DecisionRecord: Sendable, Equatable {
  package var time: Timestamp
  package var actor: UInt32
  package var role: DecisionRole
  package var source: DecisionSource
  /// The deciding program's name, as far as it is known; for a rule its name.
  package var origin: String
  /// For instance `allow`, `select` or `revoke`.
  package var action: String
  /// Nil: about the whole broker, such as its administrators.
  package var library: LibraryName?
  /// Nil: about the library as a whole, such as its co-owners.
  package var app: AppIdentifier?
  package var level: AccessLevel?
  /// For instance `limited, 3 selected`.
  package var before: String
  package var after: String
  /// The decision that this one undid.
  package var undoes: UInt64?
  /// The words of the answered prompt. Nil: the decision answered no prompt.
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

  /// The grant that it is about; nil: none.
  package var key: GrantKey? {
    guard let library, let app, let level else { return nil }
    return GrantKey(library: library, app: app, level: level)
  }

  /// An asset as a record names it.
  package static func words(of asset: AssetIdentifier) -> String { "asset \(asset)" }

  /// Users as a record names them.
  static func list(_ users: Set<UInt32>) -> String {
    users.isEmpty ? "nobody" : "users " + users.sorted().map(String.init).joined(separator: " ")
  }
}
