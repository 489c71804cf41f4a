/// An invitation of a user to a library, with the user's answer (R126, R127).
package struct Invitation: Sendable, Hashable {
  /// A user of the library, whose programs may know that it exists; or a co-owner, who decides in
  /// it too but cannot remove it or name co-owners.
  package enum Role: String, Sendable, CaseIterable { case user, coOwner }

  /// In the order of rights.
  package enum State: String, Sendable, Comparable {
    case declined, offered, accepted

    package static func < (one: Self, other: Self) -> Bool {
      one != other && (one == .declined || other == .accepted)
    }
  }

  /// A user in a role. The library's owner has no invitation.
  package struct Key: Sendable, Hashable {
    package let role: Role
    package let user: UInt32

    package init(_ role: Role, _ user: UInt32) { (self.role, self.user) = (role, user) }
  }

  package var state: State
  /// Whether the offer stands. The answer outlives it: a refusal holds for later offers too, and an
  /// undo of the withdrawal need not ask again.
  package var isOpen: Bool

  package init(_ state: State, isOpen: Bool = true) { (self.state, self.isOpen) = (state, isOpen) }

  static let none = Self(.offered, isOpen: false)

  /// The answer as far as it counts now. A withdrawn offer is not accepted.
  var answer: State { isOpen ? state : min(state, .offered) }

  /// Accepts in the user's place, or asks anew. A refusal stays, whoever offers.
  mutating func offer(accepted: Bool) { if state != .declined { state = accepted ? .accepted : .offered } }

  /// The rights that both this invitation and a later one give.
  func narrowed(to later: Self) -> Self { Self(min(state, later.state), isOpen: isOpen && later.isOpen) }
}
