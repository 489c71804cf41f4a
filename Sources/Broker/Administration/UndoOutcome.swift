/// What taking a decision back came to.
package struct UndoOutcome {
  /// The grant as it is now. Nil: the decision was about no single grant.
  package var grant: GrantView?
  package var receipt = Receipt()
}
