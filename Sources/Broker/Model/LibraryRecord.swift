/// A library as it is configured.
package struct LibraryRecord: Sendable, Equatable {
  package var name: LibraryName
  package var owner: UInt32
  /// Users who decide in the library beside its owner (R126). They neither remove it nor say who else decides.
  package var coOwners: Set<UInt32>
  /// The owner lets administrators see photos, names, dates and places (R130).
  package var administratorsSee: Bool
  /// The owner lets administrators widen grants (R130).
  package var administratorsDecide: Bool
  /// The owner lets apps have the originals of edited photos too (R39).
  package var sharesOriginals = false
  /// The storage plugin's name.
  package var backend: String
  package var options: [String: String]
  package var plugins = LibraryPlugins()
  /// Users whose programs may know that the library exists (R127). The owner is always one of them.
  package var offeredTo: Set<UInt32>
  /// Users who want to hear nothing of the offer: for their programs the library does not exist. Kept when an offer is withdrawn, so
  /// that whoever offers again and again is declined once.
  package var declinedBy: Set<UInt32> = []
  /// Minutes east of UTC, for dates without an offset.
  package var zoneOffsetMinutes: Int32
  /// Everything that is per library is derived from this: token root key, identifier permutation, cursor seals. 32 bytes.
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

  /// Everybody who decides in the library: its owner and the co-owners.
  package var owners: Set<UInt32> { coOwners.union([owner]) }

  package func isOwner(_ user: UInt32) -> Bool { user == owner || coOwners.contains(user) }
}
