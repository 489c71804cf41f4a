/// The role of a deciding person (R4): `denied` comes from owners, `restricted` from
/// administrators.
package enum DecisionRole: String, Sendable, CaseIterable {
  case owner, administrator, rule, app
  /// Another user, about their own programs: one to whom the library is offered, or an app's user.
  case user
}
