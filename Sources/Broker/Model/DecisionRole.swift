/// In which role somebody decided (R4): `denied` comes from owners, `restricted` from administrators.
package enum DecisionRole: String, Sendable, CaseIterable {
  case owner, administrator, rule, app
  /// Somebody else, about their own programs: whom the library is offered to, or whose app it is.
  case user
}
