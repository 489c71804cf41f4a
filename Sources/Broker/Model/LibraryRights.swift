/// The rights that decisions set in a library as a whole.
package struct LibraryRights: Sendable, Equatable {
  package var offeredTo: Set<UInt32>
  package var coOwners: Set<UInt32>
  package var administratorsSee: Bool
  package var administratorsDecide: Bool
  package var sharesOriginals: Bool
  package var appsDelete: Bool
  package var defaultTerms: GrantTerms

  package init(
    offeredTo: Set<UInt32>, coOwners: Set<UInt32>, administratorsSee: Bool, administratorsDecide: Bool,
    sharesOriginals: Bool = false,
    appsDelete: Bool = true, defaultTerms: GrantTerms = .standard
  ) {
    self.offeredTo = offeredTo
    self.coOwners = coOwners
    self.administratorsSee = administratorsSee
    self.administratorsDecide = administratorsDecide
    self.sharesOriginals = sharesOriginals
    self.appsDelete = appsDelete
    self.defaultTerms = defaultTerms
  }
}

extension LibraryRecord {
  var rights: LibraryRights {
    get {
      LibraryRights(
        offeredTo: offeredTo, coOwners: coOwners, administratorsSee: administratorsSee,
        administratorsDecide: administratorsDecide, sharesOriginals: sharesOriginals, appsDelete: appsDelete,
        defaultTerms: defaultTerms)
    }
    set {
      (offeredTo, coOwners) = (newValue.offeredTo, newValue.coOwners)
      (administratorsSee, administratorsDecide) = (newValue.administratorsSee, newValue.administratorsDecide)
      (sharesOriginals, appsDelete) = (newValue.sharesOriginals, newValue.appsDelete)
      defaultTerms = newValue.defaultTerms
    }
  }
}

extension LibraryRights: DecidedObject {
  static var fields: [DecidedField<Self>] {
    [
      DecidedField(users: \.offeredTo) { _ in Reason(.offerMoved, "its offer was changed") },
      DecidedField(users: \.coOwners) { _ in Reason(.ownersMoved, "its owners were changed") },
      DecidedField(\.administratorsSee) { _ in Reason(.seeingMoved, "what administrators see was decided again") },
      DecidedField(\.administratorsDecide) { _ in
        Reason(.decidingMoved, "what administrators decide was decided again")
      },
      DecidedField(\.sharesOriginals) { _ in
        Reason(.originalsMoved, "whether originals are shared was decided again")
      },
      DecidedField(\.appsDelete) { _ in Reason(.deletionsMoved, "whether apps delete photos was decided again") },
      DecidedField(\.defaultTerms) { _ in Reason(.defaultTermsMoved, "its default terms were decided again") },
    ]
  }
}
