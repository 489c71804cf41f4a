/// A failure, in words for the person at the terminal.
struct JournalProblem: Error {
  let text: String

  init(_ text: String) { self.text = text }
}
