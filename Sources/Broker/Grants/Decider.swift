/// The person and program behind a decision (R131).
package struct Decider: Sendable, Equatable {
  package var uid: UInt32
  package var role: DecisionRole
  /// The deciding program's name, as far as it is known; for a rule its name.
  package var origin: String
  package var source: DecisionSource

  package init(uid: UInt32, role: DecisionRole, origin: String, source: DecisionSource = .settings) {
    self.uid = uid
    self.role = role
    self.origin = origin
    self.source = source
  }
}
