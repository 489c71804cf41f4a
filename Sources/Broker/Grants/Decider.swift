/// Who decides, in which role, from where (R131).
package struct Decider: Sendable, Equatable {
  package var uid: UInt32
  package var role: DecisionRole
  /// The deciding program's name, as far as it can be read.
  package var origin: String

  package init(uid: UInt32, role: DecisionRole, origin: String) {
    self.uid = uid
    self.role = role
    self.origin = origin
  }
}
