/// The rights that decisions set in a library as a whole.
package struct LibraryRights: Sendable, Equatable {
  package var offeredTo: Set<UInt32>
  package var coOwners: Set<UInt32>
  package var administratorsSee: Bool
  package var administratorsDecide: Bool
  package var sharesOriginals: Bool
  package var appsDelete: Bool

  package init(
    offeredTo: Set<UInt32>, coOwners: Set<UInt32>, administratorsSee: Bool, administratorsDecide: Bool,
    sharesOriginals: Bool = false,
    appsDelete: Bool = true
  ) {
    self.offeredTo = offeredTo
    self.coOwners = coOwners
    self.administratorsSee = administratorsSee
    self.administratorsDecide = administratorsDecide
    self.sharesOriginals = sharesOriginals
    self.appsDelete = appsDelete
  }

  init(_ record: LibraryRecord) {
    self.init(
      offeredTo: record.offeredTo, coOwners: record.coOwners, administratorsSee: record.administratorsSee,
      administratorsDecide: record.administratorsDecide, sharesOriginals: record.sharesOriginals,
      appsDelete: record.appsDelete)
  }
}
