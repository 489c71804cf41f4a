/// Whose programs know of a library, at one moment.
struct Audience {
  let record: LibraryRecord
  /// Users who decline whatever its owner offers.
  let decliners: Set<UInt32>

  func includes(_ uid: UInt32) -> Bool { record.isOffered(to: uid, declining: decliners) }
}

extension LibraryState {
  var audience: Audience { Audience(record: record, decliners: decliners) }

  /// The owner always, and whom the owner offered it to and who declined neither it nor whatever its owner offers.
  package func isOffered(to uid: UInt32) -> Bool { record.isOffered(to: uid, declining: decliners) }

  /// Whether the user said yes to the library for their programs, so that apps of theirs that name
  /// none may be taken to it.
  func isTaken(by uid: UInt32) -> Bool { uid == record.owner || isOffered(to: uid) && record.acceptedBy.contains(uid) }

  /// Whether the user decides in the library (R126): its owner does, and a co-owner who said yes to
  /// that and declines it not.
  package func isOwner(_ uid: UInt32) -> Bool {
    uid == record.owner
      || record.coOwners.contains(uid) && record.joinedBy.contains(uid) && !record.refusedBy.contains(uid)
        && !decliners.contains(uid)
  }

  /// Everybody who decides in the library.
  package var owners: Set<UInt32> { record.coOwners.filter(isOwner).union([record.owner]) }

  /// Co-owners who have not said yes to that, or no longer.
  package var invited: Set<UInt32> { record.coOwners.subtracting(owners) }

  /// Of those whom it is offered to, who said yes.
  package var accepting: Set<UInt32> { record.offeredTo.filter(isTaken) }

  /// Of those whom it is offered to, who declined it, or whatever its owner offers.
  package var declining: Set<UInt32> { record.declinedBy.union(decliners).intersection(record.offeredTo) }

  /// Of those whom its owner names co-owners, who declined that, or whatever its owner offers.
  package var refusing: Set<UInt32> { record.refusedBy.union(decliners).intersection(record.coOwners) }
}
