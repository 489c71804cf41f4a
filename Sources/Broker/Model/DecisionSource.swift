/// The origin of a decision. It is stored with each grant, so that the owner sees it (R131).
package enum DecisionSource: String, Sendable, CaseIterable {
  /// An answer to a prompt.
  case prompt
  /// An owner's decision without a prompt, on the command line or in another program on the owners'
  /// socket.
  case settings
  /// An applied file of decisions.
  case file
  /// A rule's answer.
  case rule
  /// A decision of an administrator who does not own the library.
  case administrator
  /// An undo of an earlier decision.
  case undo
  /// The end of a grant.
  case expiry
  /// The pause of a grant whose app took more than its allowance.
  case allowance
  /// A restore of an earlier database.
  case restore
  /// No decision: an act of the app that is recorded.
  case app
  /// No decision: a changed file differs from an edit.
  case changedFile
}
