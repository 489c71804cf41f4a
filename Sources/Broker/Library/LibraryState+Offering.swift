extension LibraryState {
  /// A user's answer to a standing offer; nil: there is none. Declining all offers of the owner
  /// counts.
  package func answer(of user: UInt32, as role: Invitation.Role) -> Invitation.State? {
    guard user != record.owner else { return .accepted }
    let invitation = record[role, user]
    guard invitation.isOpen else { return nil }
    return broker.declines(user, of: record.owner) ? .declined : invitation.state
  }

  /// The invited users with this answer.
  package func users(_ role: Invitation.Role, _ state: Invitation.State) -> Set<UInt32> {
    record.users(role).filter { answer(of: $0, as: role) == state }
  }

  /// Whether the library exists for a user's programs: it is offered to them and not declined.
  package func isOffered(to user: UInt32) -> Bool { (answer(of: user, as: .user) ?? .declined) > .declined }

  /// Whether the user decides in the library (R126): the owner, or a co-owner who accepted.
  package func isOwner(_ user: UInt32) -> Bool { answer(of: user, as: .coOwner) == .accepted }

  /// All users who decide in the library.
  package var owners: Set<UInt32> { users(.coOwner, .accepted).union([record.owner]) }

  /// All users for whose programs the library exists.
  var audience: Set<UInt32> { record.offeredTo.filter(isOffered) }
}
