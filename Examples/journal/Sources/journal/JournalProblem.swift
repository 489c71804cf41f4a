/// Why the journal could not do what it was asked to, in words for the person at the terminal.
struct JournalProblem: Error {
  let text: String

  init(_ text: String) { self.text = text }
}
