/// A library's configuration.
package struct LibraryRecord: Sendable, Equatable {
  package var name: LibraryName
  package var owner: UInt32
  /// Invitations that stand or were answered.
  package private(set) var invitations: [Invitation.Key: Invitation] = [:]
  /// Whether administrators see photos, names, dates and places (R130).
  package var administratorsSee: Bool
  /// Whether administrators may extend grants (R130).
  package var administratorsDecide: Bool
  /// Whether apps also get the originals of edited photos (R39).
  package var sharesOriginals = false
  /// Whether apps may move assets to the trash.
  package var appsDelete = true
  /// The terms with which access begins (R149).
  package var defaultTerms = GrantTerms.standard
  /// The storage plugin's name.
  package var backend: String
  package var options: [String: String]
  package var plugins = LibraryPlugins()
  /// The zone of dates without an offset, by its name in the time zone database. Nil:
  /// ``zoneOffsetMinutes`` alone counts.
  package var zoneName: String?
  /// Minutes east of UTC for dates without an offset. For a named zone, its offset when it was
  /// chosen.
  package var zoneOffsetMinutes: Int32
  /// The secret from which the library's keys are derived: token root key, identifier permutation
  /// and cursor seals. 32 bytes.
  package var rootKey: [UInt8]

  package init(
    name: LibraryName, owner: UInt32, backend: String, options: [String: String], offeredTo: Set<UInt32>,
    zoneOffsetMinutes: Int32, rootKey: [UInt8], coOwners: Set<UInt32> = [], administratorsSee: Bool = false,
    administratorsDecide: Bool = false, plugins: LibraryPlugins = LibraryPlugins()
  ) {
    self.name = name
    self.owner = owner
    self.backend = backend
    self.options = options
    self.zoneOffsetMinutes = zoneOffsetMinutes
    self.rootKey = rootKey
    self.administratorsSee = administratorsSee
    self.administratorsDecide = administratorsDecide
    self.plugins = plugins
    (self.offeredTo, self.coOwners) = (offeredTo, coOwners)
  }

  package subscript(role: Invitation.Role, user: UInt32) -> Invitation {
    get { invitations[Invitation.Key(role, user)] ?? .none }
    set { invitations[Invitation.Key(role, user)] = newValue == .none || user == owner ? nil : newValue }
  }

  /// The users whom standing offers invite.
  package func users(_ role: Invitation.Role) -> Set<UInt32> {
    Set(invitations.lazy.filter { $0.key.role == role && $0.value.isOpen }.map(\.key.user))
  }

  /// Makes and withdraws offers, so that they invite these users. Answers stay.
  private mutating func invite(_ users: Set<UInt32>, as role: Invitation.Role) {
    for user in self.users(role).symmetricDifference(users) { self[role, user].isOpen.toggle() }
  }

  /// Users whose programs may know that the library exists (R127). Always includes the owner.
  package var offeredTo: Set<UInt32> {
    get { users(.user).union([owner]) }
    set { invite(newValue, as: .user) }
  }

  /// Users whom the owner invited to decide in the library too (R126). Until they accept they have
  /// no rights and get no prompts.
  package var coOwners: Set<UInt32> {
    get { users(.coOwner) }
    set { invite(newValue, as: .coOwner) }
  }

  /// Whether the library has an offer for a user.
  func concerns(_ user: UInt32) -> Bool { Invitation.Role.allCases.contains { self[$0, user].isOpen } }

  func answers(of user: UInt32) -> InvitationAnswers {
    InvitationAnswers(uniqueKeysWithValues: Invitation.Role.allCases.map { ($0, self[$0, user].answer) })
  }

  /// Stores a user's answers. An offer that was withdrawn can be declined, and not accepted.
  mutating func take(_ answers: InvitationAnswers, of user: UInt32) {
    for (role, state) in answers where state != .accepted || self[role, user].isOpen { self[role, user].state = state }
  }

  /// Voids all acceptances.
  mutating func askAnew() { for key in invitations.keys { self[key.role, key.user].offer(accepted: false) } }

  /// Takes over the invitations' rights that a later record gives too.
  mutating func narrowInvitations(to later: Self) {
    for key in Set(invitations.keys).union(later.invitations.keys) {
      self[key.role, key.user] = self[key.role, key.user].narrowed(to: later[key.role, key.user])
    }
  }
}

/// A user's answers by role. A role without an answer stays as it is.
package typealias InvitationAnswers = [Invitation.Role: Invitation.State]
