/// The users to whom a library is offered, at one moment.
struct Audience {
  let record: LibraryRecord
  let decliners: Set<UInt32>

  func includes(_ uid: UInt32) -> Bool { record.isOffered(to: uid, declining: decliners) }
}

extension LibraryState {
  var audience: Audience { Audience(record: record, decliners: decliners) }

  /// Whether the library is offered to a user and not declined. Always true for the owner.
  package func isOffered(to uid: UInt32) -> Bool { record.isOffered(to: uid, declining: decliners) }

  /// Whether the user accepted the library for their programs, so that apps that name no library
  /// may get it.
  func isTaken(by uid: UInt32) -> Bool { uid == record.owner || isOffered(to: uid) && record.acceptedBy.contains(uid) }

  /// Whether the user decides in the library (R126): the owner, and a co-owner who accepted and did
  /// not decline.
  package func isOwner(_ uid: UInt32) -> Bool {
    uid == record.owner
      || record.coOwners.contains(uid) && record.joinedBy.contains(uid) && !record.refusedBy.contains(uid)
        && !decliners.contains(uid)
  }

  /// All users who decide in the library.
  package var owners: Set<UInt32> { record.coOwners.filter(isOwner).union([record.owner]) }

  /// Co-owners who have not accepted, or have declined.
  package var invited: Set<UInt32> { record.coOwners.subtracting(owners) }

  /// Users who accepted the offer for their programs.
  package var accepting: Set<UInt32> { record.offeredTo.filter(isTaken) }

  /// Users who declined the offer, or all offers of its owner.
  package var declining: Set<UInt32> { record.declinedBy.union(decliners).intersection(record.offeredTo) }

  /// Co-owners who declined that role, or all offers of the owner.
  package var refusing: Set<UInt32> { record.refusedBy.union(decliners).intersection(record.coOwners) }
}
