/// A pending prompt and the connections that wait for its answer.
package final class Prompt {
  package let record: PromptRecord
  let library: LibraryState
  let user: UInt32
  /// The app's words that the owner reads.
  let words: ClaimedWords
  /// The library's default terms when it was asked, which its card shows.
  let defaultTerms: GrantTerms
  /// Identifiers from before the app changed these words, the latest last.
  let former: [AppIdentifier]
  private var waiters: [(session: Session, end: () -> Void)] = []
  /// Nil for a request for access, which needs no token.
  var token: AskingToken?
  /// Whether it stands for the prompt about keeping the selection, which comes once in a life
  /// cycle.
  var asksWhetherToKeep: Bool
  /// True during the commit of an answer, so that no second one is taken.
  var isBeingAnswered = false
  var drafts = SelectionDrafts()
  /// The rule that is to answer it. Nil: a person is.
  var rule: RuleRecord?

  init(record: PromptRecord, library: LibraryState, app: AppRecord, token: AskingToken?, former: [AppIdentifier] = []) {
    self.record = record
    self.token = token
    asksWhetherToKeep = record.kind == .keepSelection
    self.library = library
    user = app.uid
    words = ClaimedWords(app.manifest, record.key.level)
    defaultTerms = library.record.defaultTerms
    self.former = former
  }

  /// Whether it is stored for a restart. A prompt for a rule, or under an expiring token, is not:
  /// its app asks again.
  var isKept: Bool { rule == nil && token?.end == nil }

  /// Whether its app would ask with other words. The question about a pause is not the app's.
  func isOutdated(_ manifest: Manifest) -> Bool {
    record.kind != .allowance && words != ClaimedWords(manifest, record.key.level)
  }

  /// The same prompt with new words; the waiting connections move to it.
  func renewed(as identifier: AppIdentifier, for app: AppRecord) -> Prompt {
    var record = record
    record.identifier = identifier
    let prompt = Prompt(
      record: record, library: library, app: app, token: token, former: former + [self.record.identifier])
    prompt.asksWhetherToKeep = asksWhetherToKeep
    prompt.rule = rule
    prompt.waiters = waiters
    waiters = []
    return prompt
  }

  /// The users who are asked; the first answer counts (R126).
  package var owners: Set<UInt32> { library.owners }

  /// Number of waiting connections.
  package var waiting: Int { waiters.count }

  func wait(_ session: Session, end: @escaping () -> Void) { waiters.append((session, end)) }

  func stopWaiting(_ session: Session) { waiters.removeAll { $0.session === session } }

  func takeWaiters() -> [() -> Void] { takeSessions().map(\.1) }

  func takeSessions() -> [(Session, () -> Void)] {
    defer { waiters = [] }
    return waiters
  }
}
