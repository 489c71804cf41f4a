/// A library's configuration.
package struct LibraryRecord: Sendable, Equatable {
  package var name: LibraryName
  package var owner: UInt32
  /// Users whom the owner invited to decide in the library too (R126). They cannot remove it or
  /// name co-owners. Until they accept they have no rights and get no prompts: see ``joinedBy``.
  package var coOwners: Set<UInt32>
  /// Users who accepted to be co-owner. Kept after their removal, so that an undo need not ask them
  /// again; a new invitation asks.
  package var joinedBy: Set<UInt32> = []
  /// Whether administrators see photos, names, dates and places (R130).
  package var administratorsSee: Bool
  /// Whether administrators may extend grants (R130).
  package var administratorsDecide: Bool
  /// Whether apps also get the originals of edited photos (R39).
  package var sharesOriginals = false
  /// Whether apps may move assets to the trash.
  package var appsDelete = true
  /// The storage plugin's name.
  package var backend: String
  package var options: [String: String]
  package var plugins = LibraryPlugins()
  /// Users whose programs may know that the library exists (R127). Always includes the owner.
  package var offeredTo: Set<UInt32>
  /// Users who accepted the offer, so that their apps that name no library may get this one. Kept
  /// when an offer is withdrawn.
  package var acceptedBy: Set<UInt32> = []
  /// Users who declined the offer: for their programs the library does not exist. Kept when an
  /// offer is withdrawn, so that a repeated offer stays declined.
  package var declinedBy: Set<UInt32> = []
  /// Users who declined to be co-owner. Kept like ``declinedBy``. Users who declined both are in
  /// both.
  package var refusedBy: Set<UInt32> = []
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
    self.offeredTo = offeredTo
    self.zoneOffsetMinutes = zoneOffsetMinutes
    self.rootKey = rootKey
    self.coOwners = coOwners
    self.administratorsSee = administratorsSee
    self.administratorsDecide = administratorsDecide
    self.plugins = plugins
  }

  /// Whether the library has an offer or invitation for a user.
  func concerns(_ user: UInt32) -> Bool { user != owner && (offeredTo.contains(user) || coOwners.contains(user)) }

  func answer(of user: UInt32) -> OfferAnswer {
    let (declinesPrograms, declinesCoOwnership) = (declinedBy.contains(user), refusedBy.contains(user))
    return OfferAnswer(
      accepts: !declinesPrograms || !declinesCoOwnership,
      programs: !declinesPrograms && offeredTo.contains(user) && acceptedBy.contains(user),
      coOwnership: !declinesCoOwnership && coOwners.contains(user) && joinedBy.contains(user),
      declinesPrograms: declinesPrograms, declinesCoOwnership: declinesCoOwnership)
  }

  /// Whether any part of an acceptance was offered.
  func offers(_ answer: OfferAnswer, to user: UInt32) -> Bool {
    let (programs, coOwnership) = (answer.programs ?? true, answer.coOwnership ?? true)
    let declines = answer.declinesPrograms || answer.declinesCoOwnership
    return declines || !programs && !coOwnership || programs && offeredTo.contains(user)
      || coOwnership && coOwners.contains(user)
  }

  /// Stores a user's answer. A refusal also covers parts that are not offered now.
  mutating func take(_ answer: OfferAnswer, of user: UInt32) {
    if !answer.keepsRefusals || answer.declinesPrograms || offeredTo.contains(user) {
      declinedBy.set(user, to: answer.declinesPrograms)
    }
    if !answer.keepsRefusals || answer.declinesCoOwnership || coOwners.contains(user) {
      refusedBy.set(user, to: answer.declinesCoOwnership)
    }
    if answer.declinesPrograms {
      acceptedBy.remove(user)
    } else if offeredTo.contains(user) {
      acceptedBy.set(user, to: answer.programs ?? true)
    }
    if answer.declinesCoOwnership {
      joinedBy.remove(user)
    } else if coOwners.contains(user) {
      joinedBy.set(user, to: answer.coOwnership ?? true)
    }
  }
}

extension Set {
  fileprivate mutating func set(_ element: Element, to isMember: Bool) {
    if isMember { insert(element) } else { remove(element) }
  }
}
