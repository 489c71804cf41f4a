/// What taking a decision back came to.
package struct UndoOutcome {
  /// The grant as it is now. Nil: the decision was about no single grant.
  package var grant: GrantView?
  package var receipt = Receipt()

  init(grant: GrantView? = nil, receipt: Receipt = Receipt()) { (self.grant, self.receipt) = (grant, receipt) }
  init(_ entered: DecisionNumber) { self.init(receipt: Receipt(decisions: [entered.value].compactMap { $0 })) }
}
