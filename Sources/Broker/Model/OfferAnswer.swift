/// A user's answer to a library's offer and invitation.
package struct OfferAnswer: Sendable, Equatable {
  /// Whether any part is accepted; false: everything is declined.
  package let accepts: Bool
  /// Whether the offer to the user's programs is accepted; false: not, or no longer; nil: accepted
  /// if it is offered.
  package let programs: Bool?
  /// Whether the invitation as co-owner is accepted; false: not, or no longer; nil: accepted if
  /// there is one.
  package let coOwnership: Bool?
  /// Whether the offer to programs is declined, independent of the invitation.
  package let declinesPrograms: Bool
  /// Whether the invitation as co-owner is declined, independent of the offer.
  package let declinesCoOwnership: Bool

  /// Whether earlier refusals of parts stay that are not offered now.
  package let keepsRefusals: Bool

  package init(
    accepts: Bool, programs: Bool? = nil, coOwnership: Bool? = nil, declinesPrograms: Bool = false,
    declinesCoOwnership: Bool = false,
    keepsRefusals: Bool = false
  ) {
    self.accepts = accepts
    self.programs = programs
    self.coOwnership = coOwnership
    self.declinesPrograms = !accepts || declinesPrograms
    self.declinesCoOwnership = !accepts || declinesCoOwnership
    self.keepsRefusals = keepsRefusals
  }
}
