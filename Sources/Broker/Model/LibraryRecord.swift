/// A library as it is configured.
package struct LibraryRecord: Sendable, Equatable {
  package var name: LibraryName
  package var owner: UInt32
  /// Users whom the owner wants to decide in the library too (R126). They neither remove it nor say
  /// who else decides, and they do nothing and are asked nothing before they said yes to it: see
  /// ``joinedBy``.
  package var coOwners: Set<UInt32>
  /// Users who said yes to being a co-owner. Kept when they are named no longer, so that to undo
  /// that asks nobody again; whoever else names them asks.
  package var joinedBy: Set<UInt32> = []
  /// The owner lets administrators see photos, names, dates and places (R130).
  package var administratorsSee: Bool
  /// The owner lets administrators widen grants (R130).
  package var administratorsDecide: Bool
  /// The owner lets apps have the originals of edited photos too (R39).
  package var sharesOriginals = false
  /// The owner lets apps delete assets, to the trash.
  package var appsDelete = true
  /// The storage plugin's name.
  package var backend: String
  package var options: [String: String]
  package var plugins = LibraryPlugins()
  /// Users whose programs may know that the library exists (R127). The owner is always one of them.
  package var offeredTo: Set<UInt32>
  /// Users who said yes to the offer: an app of theirs that names no library may be taken to this
  /// one. Kept when an offer is withdrawn.
  package var acceptedBy: Set<UInt32> = []
  /// Users who want to hear nothing of the offer: for their programs the library does not exist.
  /// Kept when an offer is withdrawn, so that whoever offers again and again is declined once.
  package var declinedBy: Set<UInt32> = []
  /// Users who do not want to be a co-owner. Kept like ``declinedBy``; who declines all of it is in both.
  package var refusedBy: Set<UInt32> = []
  /// The zone of dates without an offset, by its name in the time zone database; nil: it has none,
  /// and is ``zoneOffsetMinutes``.
  package var zoneName: String?
  /// Minutes east of UTC, for dates without an offset; of a zone that has a name, as it was when that was chosen.
  package var zoneOffsetMinutes: Int32
  /// Everything that is per library is derived from this: token root key, identifier permutation,
  /// cursor seals. 32 bytes.
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

  /// Whether something of the library is a user's to accept: its offer, or being a co-owner.
  func concerns(_ user: UInt32) -> Bool { user != owner && (offeredTo.contains(user) || coOwners.contains(user)) }

  /// What a user said of that which its owner wants of them now.
  func answer(of user: UInt32) -> OfferAnswer {
    let (declinesPrograms, declinesCoOwnership) = (declinedBy.contains(user), refusedBy.contains(user))
    return OfferAnswer(
      accepts: !declinesPrograms || !declinesCoOwnership,
      programs: !declinesPrograms && offeredTo.contains(user) && acceptedBy.contains(user),
      coOwnership: !declinesCoOwnership && coOwners.contains(user) && joinedBy.contains(user),
      declinesPrograms: declinesPrograms, declinesCoOwnership: declinesCoOwnership)
  }

  /// Whether an acceptance finds anything of what it is about.
  func offers(_ answer: OfferAnswer, to user: UInt32) -> Bool {
    let (programs, coOwnership) = (answer.programs ?? true, answer.coOwnership ?? true)
    let declines = answer.declinesPrograms || answer.declinesCoOwnership
    return declines || !programs && !coOwnership || programs && offeredTo.contains(user)
      || coOwnership && coOwners.contains(user)
  }

  /// Takes up what a user says of that which its owner wants of them; a refusal is of whatever that is.
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
