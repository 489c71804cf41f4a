package import PhotoModel

/// A standing answer to the questions of some apps in one library: the owner's, or an administrator's restriction.
package struct RuleRecord: Sendable, Equatable {
  package var library: LibraryName
  /// 1 to 64 of `a-z`, `0-9` and hyphen, starting with a letter; unique in its library. Rules are tried in the order of
  /// their names, those of administrators first.
  package var name: String
  /// What the app's manifest calls itself; only claimed. Nil: any app of the user.
  package var identifier: String?
  /// The user that the app runs as; verified.
  package var uid: UInt32
  /// The systemd unit, container or Flatpak that the system must vouch for. Nil: none is needed.
  package var systemIdentity: String?
  package var level: AccessLevel
  package var answer: RuleAnswer
  /// For `select`: what is selected, each worked out at the moment of the answer; all of them together.
  package var selectors: [RuleSelector]
  /// Nil: as for any new grant.
  package var albumPolicy: String?
  /// How long a grant lasts from the answer on, in seconds. Nil: until somebody ends it.
  package var lifetimeSeconds: Int64?
  /// Who made the rule, and as what.
  package var author: UInt32
  package var role: DecisionRole
  package var made: Timestamp

  package init(
    library: LibraryName, name: String, identifier: String?, uid: UInt32, systemIdentity: String? = nil,
    level: AccessLevel,
    answer: RuleAnswer, selectors: [RuleSelector] = [], albumPolicy: String? = nil, lifetimeSeconds: Int64? = nil,
    author: UInt32, role: DecisionRole, made: Timestamp
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
    self.lifetimeSeconds = lifetimeSeconds
    self.author = author
    self.role = role
    self.made = made
  }
}
