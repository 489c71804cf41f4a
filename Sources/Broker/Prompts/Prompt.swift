/// A question while the broker runs, and who waits for its answer.
package final class Prompt {
  package let record: PromptRecord
  let library: LibraryState
  /// The user whose app asks.
  let user: UInt32
  /// What the app says of itself and of why it asks, as whoever answers reads it.
  let words: ClaimedWords
  /// What this question was called before the app changed these words, the latest last.
  let former: [AppIdentifier]
  private var waiters: [(session: Session, end: () -> Void)] = []
  /// Nil of a question for access, which no token is needed for.
  var token: AskingToken?
  /// Whether it stands for the question whether the selection is kept, which an app's person is
  /// asked once in a life cycle.
  var asksWhetherToKeep: Bool
  /// True while an answer is on its way to the disk: no second one is taken.
  var isBeingAnswered = false
  /// Answers in the making.
  var drafts = SelectionDrafts()
  /// A rule that is to answer it. Nil: a person is.
  var rule: RuleRecord?

  init(record: PromptRecord, library: LibraryState, app: AppRecord, token: AskingToken?, former: [AppIdentifier] = []) {
    self.record = record
    self.token = token
    asksWhetherToKeep = record.kind == .keepSelection
    self.library = library
    user = app.uid
    words = ClaimedWords(app.manifest, record.key.level)
    self.former = former
  }

  /// Whether it is asked again after a restart of the broker. What a rule answers whoever asked
  /// asks again, and what is asked under a token that ends by itself its holder.
  var isKept: Bool { rule == nil && token?.end == nil }

  /// Whether the app says something else by now.
  func isOutdated(_ app: AppRecord) -> Bool { words != ClaimedWords(app.manifest, record.key.level) }

  /// The same question in other words; who waits for its answer waits on.
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

  /// The users who are asked: whoever answers first answers for all (R126).
  package var owners: Set<UInt32> { library.owners }

  /// How many connections wait.
  package var waiting: Int { waiters.count }

  func wait(_ session: Session, end: @escaping () -> Void) { waiters.append((session, end)) }

  func stopWaiting(_ session: Session) { waiters.removeAll { $0.session === session } }

  func takeWaiters() -> [() -> Void] { takeSessions().map(\.1) }

  func takeSessions() -> [(Session, () -> Void)] {
    defer { waiters = [] }
    return waiters
  }
}
