/// The worker's answer violates the protocol: it may have been taken over.
struct AnswerError: Error {
  /// The broken rule; the worker's words are not repeated.
  let rule: String

  init(_ rule: String) { self.rule = rule }
}
