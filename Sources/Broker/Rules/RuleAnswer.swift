/// What a rule answers.
package enum RuleAnswer: String, Sendable, CaseIterable {
  case allow, select, deny
  /// The only answer that an administrator's rule has: `restricted` (R4).
  case restrict
  /// To the question at the start of a life cycle: the selection stays (R53).
  case keep
}
