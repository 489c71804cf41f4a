package import PhotoModel

/// A standing answer to the prompts of some apps in one library, by the owner or as an
/// administrator's restriction.
package struct RuleRecord: Sendable, Equatable {
  package var library: LibraryName
  /// 1 to 64 of `a-z`, `0-9` and hyphen, starting with a letter; unique in its library. Rules are
  /// evaluated in the order of their names, those of administrators first.
  package var name: String
  /// The identifier in the app's manifest; only claimed. Nil: any app of the user.
  package var identifier: String?
  /// The user who runs the app; verified.
  package var uid: UInt32
  /// The systemd unit, container or Flatpak that the system must vouch for. Nil: none is needed.
  package var systemIdentity: String?
  package var level: AccessLevel
  package var answer: RuleAnswer
  /// For `select`: the union of these is selected, resolved when the rule answers.
  package var selectors: [RuleSelector]
  /// Nil: the default of new grants.
  package var albumPolicy: String?
  /// The terms of the grant that differ from the default ones.
  package var terms: GrantTerms.Choice
  /// Lifetime of a grant from the answer on, in seconds. Nil: no end.
  package var lifetimeSeconds: Int64?
  /// For `select`: the conditions of a live selection. Nil: it is not live.
  package var live: LiveSelection?
  /// The author's user, and the role in which they made the rule.
  package var author: UInt32
  package var role: DecisionRole
  package var made: Timestamp

  package init(
    library: LibraryName, name: String, identifier: String?, uid: UInt32, systemIdentity: String? = nil,
    level: AccessLevel,
    answer: RuleAnswer, selectors: [RuleSelector] = [], albumPolicy: String? = nil,
    terms: GrantTerms.Choice = .init(), lifetimeSeconds: Int64? = nil, live: LiveSelection? = nil, author: UInt32,
    role: DecisionRole,
    made: Timestamp
  ) {
    self.library = library
    self.name = name
    self.identifier = identifier
    self.uid = uid
    self.systemIdentity = systemIdentity
    self.level = level
    self.answer = answer
    self.selectors = selectors
    self.albumPolicy = albumPolicy
    self.terms = terms
    self.lifetimeSeconds = lifetimeSeconds
    self.live = live
    self.author = author
    self.role = role
    self.made = made
  }
}
