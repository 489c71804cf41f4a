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

  /// Of those whom it is offered to, who declined it, or whatever its owner offers.
  package var declining: Set<UInt32> { record.declinedBy.union(decliners).intersection(record.offeredTo) }
}
