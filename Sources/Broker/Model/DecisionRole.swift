/// In which role somebody decided (R4): `denied` comes from owners, `restricted` from administrators.
package enum DecisionRole: String, Sendable, CaseIterable {
  case owner, administrator, rule, app
}
