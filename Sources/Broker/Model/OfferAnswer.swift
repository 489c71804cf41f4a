/// What somebody says of a library that is offered to them.
package struct OfferAnswer: Sendable, Equatable {
  /// Whether they accept any of it; false: all of it is declined.
  package let accepts: Bool
  /// Whether they accept that it is offered to their programs; false: not, or no longer; nil: wherever it is.
  package let programs: Bool?
  /// Whether they accept being a co-owner; false: not, or no longer; nil: wherever they are named one.
  package let coOwnership: Bool?

  package init(accepts: Bool, programs: Bool? = nil, coOwnership: Bool? = nil) {
    self.accepts = accepts
    self.programs = programs
    self.coOwnership = coOwnership
  }
}
