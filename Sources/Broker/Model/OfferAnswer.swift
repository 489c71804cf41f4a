/// What somebody says of a library that is offered to them.
package struct OfferAnswer: Sendable, Equatable {
  /// Whether they accept any of it; false: all of it is declined.
  package let accepts: Bool
  /// Whether they accept that it is offered to their programs; false: not, or no longer; nil: wherever it is.
  package let programs: Bool?
  /// Whether they accept being a co-owner; false: not, or no longer; nil: wherever they are named one.
  package let coOwnership: Bool?
  /// Whether they decline it for their programs, whatever they say of being a co-owner.
  package let declinesPrograms: Bool
  /// Whether they decline being a co-owner, whatever they say of their programs.
  package let declinesCoOwnership: Bool

  /// Whether it says nothing of what they declined: then that stays where it is not offered to
  /// them, nor asked of them, now.
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
