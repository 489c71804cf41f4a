import BrokerInterface

/// The owner of a sandbox's library, who follows the script.
struct SandboxPerson {
  private let client: BrokerClient
  private let script: SandboxScript
  private var answers: [SandboxAnswer]
  /// The remaining actions, each with the start of its delay, once that is known.
  private var actions: [(action: SandboxAction, since: ContinuousClock.Instant?)]
  /// When each prompt or picker was first seen.
  private var seen: [String: ContinuousClock.Instant] = [:]
  /// Prompts and pickers whose answer was refused; they are not tried again.
  private var failed: Set<String> = []

  init(_ client: BrokerClient, _ script: SandboxScript) {
    (self.client, self.script) = (client, script)
    answers = script.answers
    actions = script.actions.map { ($0, $0.on == nil ? .now : nil) }
  }

  /// Answers prompts and pickers, and performs actions that are due.
  ///
  /// - Parameter complain: reports a refused answer or action.
  /// - Throws: if the broker is gone.
  mutating func act(_ complain: (String) -> Void) throws(CommandError) {
    let prompts = try client.call(Admin.ListPrompts.self, .init()).value.prompts
    for prompt in prompts { try answer(prompt, complain) }
    let pickers = try client.call(Admin.ListPickers.self, .init()).value.pickers
    for picker in pickers { try answer(picker, complain) }
    let deletions = try client.call(Admin.ListDeletions.self, .init()).value.deletions
    for deletion in deletions { try answer(deletion, complain) }
    let asking = Set(prompts.map(\.app.app) + pickers.map(\.app.app) + deletions.map(\.app.app))
    for index in actions.indices where actions[index].since == nil {
      if try happened(actions[index].action, asking) { actions[index].since = .now }
    }
    while let index = actions.firstIndex(where: { entry in
      entry.since.map { $0 + .seconds(entry.action.after) <= .now } ?? false
    }) {
      let action = actions.remove(at: index).action
      do throws(CommandError) { try perform(action) } catch {
        guard error.answered != nil || error.code == .notFound else { throw error }
        complain("\(action.verb.rawValue): \(error.message)")
      }
    }
  }

  private mutating func answer(_ prompt: Admin.PromptInfo, _ complain: (String) -> Void) throws(CommandError) {
    try answer(prompt.prompt, prompt.kind, at: answers.firstIndex { $0.fits(prompt) }, complain) {
      (client, answer) throws(CommandError) in
      _ = try client.call(
        Admin.AnswerPrompt.self, .init(prompt: prompt.prompt, answer: answer.answer, selector: answer.selector))
    }
  }

  private mutating func answer(_ picker: Admin.PickerInfo, _ complain: (String) -> Void) throws(CommandError) {
    let index = answers.firstIndex { $0.picking(for: picker) != nil }
    try answer(picker.picker, "picker", at: index, complain) { (client, answer) throws(CommandError) in
      let kept = answer.picking(for: picker) == .pick ? picker.preselected : []
      let assets =
        answer.picking(for: picker) == .cancel ? nil : try Self.choose(answer.selector, kept: kept, for: picker, client)
      _ = try client.call(Admin.AnswerPicker.self, .init(picker: picker.picker, assets: assets))
    }
  }

  private mutating func answer(_ deletion: Admin.DeletionInfo, _ complain: (String) -> Void) throws(CommandError) {
    let index = answers.firstIndex { $0.allows(deletion) != nil }
    try answer(deletion.deletion, "deletion", at: index, complain) { (client, answer) throws(CommandError) in
      let allows = answer.allows(deletion) ?? false
      _ = try client.call(Admin.AnswerDeletion.self, .init(deletion: deletion.deletion, allow: allows))
    }
  }

  /// Gives an answer after its delay. After a refusal the prompt or picker is not answered again.
  /// - Parameter name: the prompt's or picker's name.
  private mutating func answer(
    _ name: String, _ kind: String, at index: Int?, _ complain: (String) -> Void,
    _ give: (BrokerClient, SandboxAnswer) throws(CommandError) -> Void
  ) throws(CommandError) {
    guard !failed.contains(name), let index else { return }
    let first = seen[name] ?? .now
    seen[name] = first
    let answer = answers[index]
    guard first + .seconds(answer.after) <= .now else { return }
    do throws(CommandError) {
      try give(client, answer)
      if let times = answer.times { answers[index].times = times - 1 }
    } catch {
      guard error.answered != nil else { throw error }
      failed.insert(name)
      complain("\(kind), \(answer.answer): \(error.message)")
    }
  }

  /// The assets to pick: `kept`, then the selector's newest matches of the picker's media types, up
  /// to its limit.
  private static func choose(
    _ selector: Admin.Selector?, kept: [String], for picker: Admin.PickerInfo, _ client: BrokerClient
  ) throws(CommandError) -> [String] {
    guard let selector else { return kept }
    let found = try client.call(
      Admin.FetchOwnedAssets.self, .init(library: picker.library, selector: selector, limit: 1_000, purpose: "picker")
    ).value.assets
    let fitting = found.filter { picker.mediaTypes.isEmpty || picker.mediaTypes.contains($0.mediaType) }.map(
      \.identifier)
    let picked = kept + fitting.filter { !kept.contains($0) }
    return Array(picked.prefix(Int(clamping: picker.selectionLimit)))
  }

  private func happened(_ action: SandboxAction, _ asking: Set<String>) throws(CommandError) -> Bool {
    guard let moment = action.on, let app = try app(action.app) else { return false }
    switch moment {
    case .introduces: return true
    case .asks: return asking.contains(app)
    case .fetches, .opens:
      let page = try client.call(Admin.ReadLedger.self, .init(library: script.library, app: app, limit: 1_000)).value
      return page.entries.contains { moment == .fetches || !["metadata", "notCleaned"].contains($0.rendition) }
    }
  }

  /// The broker's name of an app; nil before the app introduces itself.
  private func app(_ identifier: String?) throws(CommandError) -> String? {
    try client.call(Admin.ListApps.self, .init()).value.apps.last { $0.identifier == identifier }?.app
  }

  private func perform(_ action: SandboxAction) throws(CommandError) {
    let library = script.library
    func app() throws(CommandError) -> String {
      if let app = try self.app(action.app) { return app }
      throw CommandError(.notFound, "no app calls itself \(action.app ?? "") yet; let the action wait with \"on\".")
    }
    func set(_ status: String) throws(CommandError) {
      _ = try client.call(
        Admin.SetGrant.self,
        .init(library: library, app: app(), level: action.level ?? "readWrite", status: status))
    }
    switch action.verb {
    case .advance: _ = try client.call(Sandbox.AdvanceClock.self, .init(microseconds: action.advance))
    case .setClock: _ = try client.call(Sandbox.SetClock.self, .init(now: action.clock))
    case .allow: try set("authorized")
    case .limit: try set("limited")
    case .deny: try set("denied")
    case .forget: try set("notDetermined")
    case .select:
      _ = try client.call(Admin.EditSelection.self, .init(library: library, app: app(), add: action.selector))
    case .unselect:
      _ = try client.call(Admin.EditSelection.self, .init(library: library, app: app(), remove: action.selector))
    case .revoke: _ = try client.call(Admin.Revoke.self, .init(library: library, app: app(), level: action.level))
    case .pause, .resume:
      _ = try client.call(
        Admin.PauseGrant.self,
        .init(library: library, app: app(), level: action.level, paused: action.verb == .pause))
    }
  }
}
