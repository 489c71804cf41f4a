import Limits
package import Macaroons
import PhotoModel

/// Opens, renews, delays and closes prompts.
package struct PromptService {
  let broker: Broker

  /// The pending prompt for a grant, or a new one: there is at most one for each app, library and
  /// level.
  /// - Parameters:
  ///   - attachment: the token under which the app asks, if one is needed; the prompt ends with it.
  ///   - exceeded: the limit that the app exceeded, for `allowance`.
  /// - Throws: `limitExceeded` during a pause after denials or dismissals, or if there are too many
  ///   prompts; `changeNotSupported` for adding alone to a storage that takes no additions.
  func ask(
    _ kind: PromptRecord.Kind, _ key: GrantKey, _ app: App, _ library: LibraryState,
    under attachment: Attachment? = nil, exceeded: Allowance.Limit? = nil
  ) throws(BrokerError) -> Prompt {
    var changes: [StoreChange] = []
    var waiters: [(Session, () -> Void)] = []
    let open = broker.prompts[key]
    // The app's own request for the page replaces the prompt about keeping the selection. The one
    // about a pause replaces each, because the app sees nothing until it is answered.
    let replaces = kind == .allowance || kind == .selection && open?.record.kind == .keepSelection
    if let open, !replaces || open.isBeingAnswered {
      if kind == .keepSelection { open.asksWhetherToKeep = true }
      join(open, under: attachment)
      return open
    }
    let rule = broker.ruleEngine.rule(for: kind, key, app.record, among: broker.rules)
    guard rule != nil || key.level != .addOnly || !library.refusedByStorage.contains(.add) else {
      throw .takesNoAdditions()
    }
    let backoff = AskingBackoff.Kind(kind)
    if rule == nil, let backoff { try requirePatience(backoff, key.library, app.record) }
    if let open {
      changes.append(.removePrompt(open.record.identifier))
      waiters = open.takeSessions()
      broker.prompts.remove(open)
    }
    guard rule != nil || backoff == nil || broker.prompts.hasRoom(in: key.library, for: app.record.uid) else {
      throw .photos(
        .limitExceeded, "Too many requests wait for this library's owner; ask again when some are answered.")
    }
    let record = PromptRecord(
      identifier: broker.newIdentifier(), kind: kind, key: key, asked: broker.environment.now, exceeded: exceeded)
    let prompt = Prompt(record: record, library: library, app: app.record, token: attachment.map { AskingToken($0) })
    prompt.rule = rule
    if open?.asksWhetherToKeep ?? false { prompt.asksWhetherToKeep = true }
    for (session, end) in waiters { prompt.wait(session, end: end) }
    broker.prompts.insert(prompt)
    // If the commit fails, the prompt stays pending until the broker stops.
    if prompt.isKept { changes.append(.putPrompt(record)) }
    if !changes.isEmpty { broker.store.commit(changes) { _ in } }
    if rule == nil { broker.delegate?.promptsChanged(owners: prompt.owners) }
    return prompt
  }

  private func join(_ open: Prompt, under attachment: Attachment?) {
    guard let attachment, open.token?.end != nil || open.token?.child != nil else { return }
    open.token?.join(AskingToken(attachment))
    if open.isKept { broker.store.commit([.putPrompt(open.record)]) { _ in } }
  }

  /// Registers a connection that waits for the answer. `end` is also called if the decision comes
  /// from settings or the prompt is withdrawn.
  func wait(for prompt: Prompt, _ session: Session, end: @escaping () -> Void) throws(BrokerError) {
    guard prompt.waiting < BrokerLimits.waitersPerPrompt else {
      throw .photos(.limitExceeded, "Too many connections wait for this answer; ask without waiting.")
    }
    prompt.wait(session, end: end)
    broker.ruleEngine.answerByRule(prompt)
  }

  /// Notes a fetch under a permit. A limited app's first fetch in a life cycle opens the prompt
  /// whether to keep the selection, unless its manifest suppresses that. The fetch does not wait
  /// for the answer (R53 to R60).
  package func didFetch(_ permit: Permit) {
    let key = permit.grant.record.key
    guard permit.grant.record.status == .limited, key.level == .readWrite, let app = broker.apps[key.app],
      app.record.manifest.hasScreen, !app.record.manifest.preventsAutomaticLimitedAccessAlert
    else { return }
    guard broker.lifeCycles.takeQuestion(key) else {
      if let open = broker.prompts[key], open.asksWhetherToKeep { join(open, under: permit.attachment) }
      return
    }
    keepLifeCycles()
    // A failure is ignored, because the owner can change the selection in settings at any time.
    guard app.noteKeepQuestion(at: broker.environment.monotonic) else { return }
    if let prompt = try? ask(.keepSelection, key, app, permit.library, under: permit.attachment) {
      broker.ruleEngine.answerByRule(prompt)
    }
  }

  /// Notes a person's choice of an app's photos. It is not asked about in the same life cycle (R53).
  func didChoose(_ key: GrantKey) {
    if key.level == .readWrite, broker.lifeCycles.takeQuestion(key) { keepLifeCycles() }
  }

  /// Stores the processes of life cycles with prompts for the next start; one commit at a time.
  func keepLifeCycles() {
    guard broker.lifeCycles.beginKeeping() else { return }
    broker.store.commit([
      .putSetting(name: SettingName.lifeCycles, value: broker.lifeCycles.text(boot: broker.environment.bootSeconds))
    ]) { [weak broker] _ in
      if let broker, broker.lifeCycles.endKeeping() { broker.promptService.keepLifeCycles() }
    }
  }

  /// Closes a prompt that was answered or has become pointless.
  func close(_ prompt: Prompt) {
    broker.prompts.remove(prompt)
    if prompt.rule == nil { broker.delegate?.promptsChanged(owners: prompt.owners) }
    for end in prompt.takeWaiters() { end() }
  }

  /// Replaces a prompt whose app changed its words by a new one with another identifier; the
  /// waiting calls stay. An app that does this repeatedly is not asked about for a while. An answer
  /// in progress counts for the old words.
  func renew(_ prompt: Prompt, of app: App) {
    let key = prompt.record.key
    backOff(.changedWords, prompt.library, app.record)
    var changes: [StoreChange] = [.removePrompt(prompt.record.identifier)]
    let isPaused =
      broker.prompts.backoff.pause(.changedWords, key.library, app.record, now: broker.environment.now) != nil
    guard app.describes(key.level), !isPaused else {
      broker.store.commit(changes) { _ in }
      return close(prompt)
    }
    let renewed = prompt.renewed(as: broker.newIdentifier(), for: app.record)
    broker.prompts.remove(prompt)
    broker.prompts.insert(renewed)
    if renewed.isKept { changes.append(.putPrompt(renewed.record)) }
    broker.store.commit(changes) { _ in }
    if renewed.rule == nil { broker.delegate?.promptsChanged(owners: renewed.owners) }
  }

  /// Pending prompts of apps to whose users the library is not offered any more, except those being
  /// answered.
  func questionsOfStrangers(in library: LibraryState) -> [Prompt] {
    broker.prompts.all.filter { $0.library === library && !$0.isBeingAnswered && !library.isOffered(to: $0.user) }
  }

  /// Notes the changes that a library's storage takes none of, and withdraws the requests for adding
  /// alone if it takes no additions (R158).
  package func note(refusedByStorage refused: Verbs, in library: LibraryState) {
    guard refused != library.refusedByStorage else { return }
    library.refusedByStorage = refused
    broker.delegate?.promptsChanged(owners: library.owners)
    guard refused.contains(.add) else { return }
    let asked = broker.prompts.all.filter {
      $0.library === library && $0.record.key.level == .addOnly && $0.rule == nil && !$0.isBeingAnswered
    }
    guard !asked.isEmpty else { return }
    broker.store.commit(asked.map { .removePrompt($0.record.identifier) }) { _ in }
    withdraw(asked)
  }

  func withdraw(_ asked: [Prompt]) {
    for prompt in asked where broker.prompts[prompt.record.identifier] === prompt && !prompt.isBeingAnswered {
      close(prompt)
    }
  }

  func isOver(_ prompt: Prompt) -> Bool { prompt.token?.hasEnded(broker.environment) ?? false }

  /// Permits the prompt about keeping the selection again in this life cycle, because its token
  /// ended before an answer.
  func giveBackQuestion(_ prompt: Prompt) {
    if prompt.asksWhetherToKeep, broker.lifeCycles.giveBackQuestion(prompt.record.key) { keepLifeCycles() }
  }

  /// Whether a decision with this result settles the prompt, or ends its token.
  private static func isSettled(_ prompt: Prompt, by record: GrantRecord) -> Bool {
    switch prompt.record.kind {
    case .authorization: record.status != .notDetermined
    case .keepSelection, .selection: record.status != .limited || isTokenRefused(prompt, by: record)
    case .allowance: !record.isPaused || !record.status.grantsAccess
    }
  }

  private static func isTokenRefused(_ prompt: Prompt, by record: GrantRecord) -> Bool {
    prompt.token.map { $0.accessor != record.accessor } ?? false
  }

  /// Further changes for an edit's commit: the prompt that it settles, and the tokens that it
  /// revokes or issues.
  func alongside(_ grant: GrantState, _ before: GrantRecord, _ after: GrantRecord) -> [StoreChange] {
    var changes: [StoreChange] = []
    if let prompt = broker.prompts[after.key], prompt.isBeingAnswered || Self.isSettled(prompt, by: after) {
      changes.append(.removePrompt(prompt.record.identifier))
    }
    if before.accessor != after.accessor, let old = broker.tokens[before.accessor], !old.isRevoked {
      changes.append(.revokeToken(before.accessor))
    }
    if after.status.grantsAccess, broker.tokens[after.accessor] == nil {
      changes.append(
        .putToken(
          TokenRecord(
            accessor: after.accessor, app: after.key.app, grant: after.key, minted: broker.environment.now,
            isRevoked: false)))
    }
    return changes + broker.tokens.note(changes)
  }

  func didSettle(_ grant: GrantState) {
    broker.pickerService.withdraw(withTokensOf: grant)
    broker.deletionService.withdrawEnded()
    guard let prompt = broker.prompts[grant.record.key], Self.isSettled(prompt, by: grant.record) else { return }
    if Self.isTokenRefused(prompt, by: grant.record) { giveBackQuestion(prompt) }
    close(prompt)
  }

  /// - Throws: `limitExceeded` during a pause after attempts of this kind, or after repeated changes
  ///   of the app's words.
  func requirePatience(_ kind: AskingBackoff.Kind, _ library: LibraryName, _ app: AppRecord) throws(BrokerError) {
    for kind in [.changedWords, kind] {
      guard let end = broker.prompts.backoff.pause(kind, library, app, now: broker.environment.now) else { continue }
      let why =
        switch kind {
        case .changedWords: "The app changed its description several times while a person was asked"
        case .denied:
          "The person said no several times, and is left alone for a while, unless the owner allows it in settings"
        case .picker, .selection, .keepSelection, .deletion:
          "The person dismissed this several times, and is left alone for a while"
        }
      let seconds = max(1, end.distance(from: broker.environment.now).components.seconds + 1)
      throw .photos(.limitExceeded, "\(why); ask again in \(Amount.duration(seconds: seconds)).")
    }
  }

  /// Notes an attempt in vain, which may begin a pause.
  func backOff(_ kind: AskingBackoff.Kind, _ library: LibraryState, _ app: AppRecord) {
    broker.prompts.backoff.note(kind, library.record.name, app, at: broker.environment.now)
    keepBackoff(in: library)
  }

  /// Clears attempts after the person used such a dialog, or forgot the denial.
  func forgive(_ kind: AskingBackoff.Kind, _ library: LibraryState, _ app: AppRecord) {
    if broker.prompts.backoff.forgive(kind, library.record.name, app) { keepBackoff(in: library) }
  }

  private func keepBackoff(in library: LibraryState) {
    let name = library.record.name
    // A removed library's pauses are removed with it.
    guard broker.libraries[name] === library else { return }
    let text = broker.prompts.backoff.text(of: name, now: broker.environment.now)
    broker.store.commit([.putSetting(name: SettingName.backoff + name.description, value: text)]) { _ in }
  }
}

extension BrokerError {
  package static func takesNoAdditions() -> Self {
    .photos(
      .changeNotSupported,
      "The library's storage takes no new files until its owner gives the broker a folder for them.")
  }
}
