/// The worker's answer is not one: it is taken for a taken-over process.
struct AnswerError: Error {
  /// Which rule was broken; the worker's words are not repeated.
  let rule: String

  init(_ rule: String) { self.rule = rule }
}
