/// By which way a decision came about. It is kept with each grant, so that its owner sees where it came from (R131).
package enum DecisionSource: String, Sendable, CaseIterable {
  /// The answer to a question.
  case prompt
  /// An owner decided without a question: on the command line, or in another program on the owners' socket.
  case settings
  /// A file of decisions was applied.
  case file
  /// A rule answered.
  case rule
  /// An administrator decided who does not own the library.
  case administrator
  /// An earlier decision was undone.
  case undo
  /// The end that somebody had set came.
  case expiry
  /// An older state of the broker was put back.
  case restore
  /// Nobody decided: the app itself did something that is noted.
  case app
}
