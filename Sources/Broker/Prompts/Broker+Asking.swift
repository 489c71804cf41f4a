import Limits
import PhotoModel

extension Broker {
  /// The pending prompt for a grant, or a new one: there is at most one for each app, library and
  /// level.
  /// - Parameter attachment: the token under which the app asks, if one is needed; the prompt ends
  ///   with it.
  /// - Throws: `limitExceeded` during a pause after denials or dismissals, or if there are too many
  ///   prompts.
  func ask(
    _ kind: PromptRecord.Kind, _ key: GrantKey, _ app: App, _ library: LibraryState, under attachment: Attachment? = nil
  ) throws(BrokerError) -> Prompt {
    var changes: [StoreChange] = []
    var waiters: [(Session, () -> Void)] = []
    let open = prompts[key]
    // The app's own request for the page replaces the prompt about keeping the selection.
    if let open, open.record.kind != .keepSelection || kind != .selection || open.isBeingAnswered {
      if kind == .keepSelection { open.asksWhetherToKeep = true }
      join(open, under: attachment)
      return open
    }
    let rule = ruleEngine.rule(for: kind, key, app.record, among: rules)
    if rule == nil { try requirePatience(.init(kind), key.library, app.record) }
    if let open {
      changes.append(.removePrompt(open.record.identifier))
      waiters = open.takeSessions()
      prompts.remove(open)
    }
    guard rule != nil || prompts.hasRoom(in: key.library, for: app.record.uid) else {
      throw .photos(
        .limitExceeded, "Too many requests wait for this library's owner; ask again when some are answered.")
    }
    let record = PromptRecord(identifier: newIdentifier(), kind: kind, key: key, asked: environment.now)
    let prompt = Prompt(record: record, library: library, app: app.record, token: attachment.map { AskingToken($0) })
    prompt.rule = rule
    if open?.asksWhetherToKeep ?? false { prompt.asksWhetherToKeep = true }
    for (session, end) in waiters { prompt.wait(session, end: end) }
    prompts.insert(prompt)
    // If the commit fails, the prompt stays pending until the broker stops.
    if prompt.isKept { changes.append(.putPrompt(record)) }
    if !changes.isEmpty { store.commit(changes) { _ in } }
    if rule == nil { delegate?.promptsChanged(owners: prompt.owners) }
    return prompt
  }

  private func join(_ open: Prompt, under attachment: Attachment?) {
    guard let attachment, open.token?.end != nil else { return }
    open.token?.join(AskingToken(attachment))
    if open.isKept { store.commit([.putPrompt(open.record)]) { _ in } }
  }

  /// Registers a connection that waits for the answer. `end` is also called if the decision comes
  /// from settings or the prompt is withdrawn.
  func wait(for prompt: Prompt, _ session: Session, end: @escaping () -> Void) throws(BrokerError) {
    guard prompt.waiting < BrokerLimits.waitersPerPrompt else {
      throw .photos(.limitExceeded, "Too many connections wait for this answer; ask without waiting.")
    }
    prompt.wait(session, end: end)
    ruleEngine.answerByRule(prompt)
  }

  /// Notes a fetch under a permit. A limited app's first fetch in a life cycle opens the prompt
  /// whether to keep the selection, unless its manifest suppresses that. The fetch does not wait
  /// for the answer (R53 to R60).
  package func didFetch(_ permit: Permit) {
    let key = permit.grant.record.key
    guard permit.grant.record.status == .limited, key.level == .readWrite, let app = apps[key.app],
      app.record.manifest.hasScreen, !app.record.manifest.preventsAutomaticLimitedAccessAlert
    else { return }
    guard lifeCycles.takeQuestion(key) else {
      if let open = prompts[key], open.asksWhetherToKeep { join(open, under: permit.attachment) }
      return
    }
    keepLifeCycles()
    // A failure is ignored, because the owner can change the selection in settings at any time.
    guard app.noteKeepQuestion(at: environment.monotonic) else { return }
    if let prompt = try? ask(.keepSelection, key, app, permit.library, under: permit.attachment) {
      ruleEngine.answerByRule(prompt)
    }
  }

  /// Stores the processes of life cycles with prompts for the next start; one commit at a time.
  func keepLifeCycles() {
    guard lifeCycles.beginKeeping() else { return }
    let kept = Confined { [weak self] (_: StoreFailure?) in
      if let self, lifeCycles.endKeeping() { keepLifeCycles() }
    }
    store.commit([.putSetting(name: SettingName.lifeCycles, value: lifeCycles.text(boot: environment.bootSeconds))]) {
      kept.value($0)
    }
  }

  /// Closes a prompt that was answered or has become pointless.
  func close(_ prompt: Prompt) {
    prompts.remove(prompt)
    if prompt.rule == nil { delegate?.promptsChanged(owners: prompt.owners) }
    for end in prompt.takeWaiters() { end() }
  }

  func isOver(_ prompt: Prompt) -> Bool { prompt.token?.hasEnded(environment) ?? false }

  /// Permits the prompt about keeping the selection again in this life cycle, because its token
  /// ended before an answer.
  func giveBackQuestion(_ prompt: Prompt) {
    if prompt.asksWhetherToKeep, lifeCycles.giveBackQuestion(prompt.record.key) { keepLifeCycles() }
  }

  /// Whether a decision with this result settles the prompt, or ends its token.
  private static func isSettled(_ prompt: Prompt, by record: GrantRecord) -> Bool {
    switch prompt.record.kind {
    case .authorization: record.status != .notDetermined
    case .keepSelection, .selection: record.status != .limited || isTokenRefused(prompt, by: record)
    }
  }

  private static func isTokenRefused(_ prompt: Prompt, by record: GrantRecord) -> Bool {
    prompt.token.map { $0.accessor != record.accessor } ?? false
  }

  /// Further changes for an edit's commit: the prompt that it settles, and the tokens that it
  /// revokes or issues.
  func alongside(_ grant: GrantState, _ before: GrantRecord, _ after: GrantRecord) -> [StoreChange] {
    var changes: [StoreChange] = []
    if let prompt = prompts[after.key], prompt.isBeingAnswered || Self.isSettled(prompt, by: after) {
      changes.append(.removePrompt(prompt.record.identifier))
    }
    if before.accessor != after.accessor, let old = tokens[before.accessor], !old.isRevoked {
      changes.append(.revokeToken(before.accessor))
    }
    if after.status.grantsAccess, tokens[after.accessor] == nil {
      changes.append(
        .putToken(
          TokenRecord(
            accessor: after.accessor, app: after.key.app, grant: after.key, minted: environment.now, isRevoked: false)))
    }
    return changes + tokens.note(changes)
  }

  func didSettle(_ grant: GrantState) {
    withdrawPickers(withTokensOf: grant)
    guard let prompt = prompts[grant.record.key], Self.isSettled(prompt, by: grant.record) else { return }
    if Self.isTokenRefused(prompt, by: grant.record) { giveBackQuestion(prompt) }
    close(prompt)
  }
}
