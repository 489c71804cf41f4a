/// The answer of a rule.
package enum RuleAnswer: String, Sendable, CaseIterable {
  case allow, select, deny
  /// `restricted`, the only answer of an administrator's rule (R4).
  case restrict
  /// Keeps the selection, at the prompt of a life cycle (R53).
  case keep
}
