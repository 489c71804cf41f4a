package import Catalogue
import PhotoModel

/// The prompts that wait for the caller.
package struct AdminPrompts: AdminPart {
  let caller: AdminSession

  /// A pending prompt for the caller, without the figures that are costly to compute.
  package struct Question {
    package let prompt: Prompt
    package let app: App
    /// Whether the caller is the library's owner and not a co-owner of it.
    package let isOwn: Bool
  }

  /// Pending prompts for the caller: first those of the caller's own libraries, then those of
  /// co-owned ones, each oldest first. A prompt goes to the library's owners, whoever runs the app
  /// (R126).
  package var waiting: [Question] {
    let asked: [Question] = broker.prompts.all.compactMap { prompt in
      guard prompt.library.isOwner(caller.uid), prompt.rule == nil, !prompt.isBeingAnswered,
        !broker.promptService.isOver(prompt),
        let app = broker.apps[prompt.record.key.app]
      else { return nil }
      return Question(prompt: prompt, app: app, isOwn: prompt.library.record.owner == caller.uid)
    }
    return asked.filter(\.isOwn) + asked.filter { !$0.isOwn }
  }

  /// Computes the display of a prompt.
  /// - Parameter languages: the languages for the app's own words.
  package func view(of question: Question, in languages: LocalizedText.Languages) -> PromptView {
    let (prompt, app) = (question.prompt, question.app)
    let level = prompt.record.key.level
    return PromptView(
      prompt: prompt.record, isOwn: question.isOwn, app: app.record,
      connections: broker.sessions.count(of: app.identifier),
      usageDescription: App.usageDescription(level, of: app.record.manifest).text(for: languages) ?? "",
      answers: PromptAnswer.answers(to: prompt.record.kind, level: level), joining: joining(by: prompt),
      suggested: suggested(by: prompt), refusedByStorage: prompt.library.refusedByStorage,
      isReadOnly: prompt.record.kind == .authorization && prompt.words.isReadOnly, terms: proposed(by: prompt))
  }

  private func joining(by prompt: Prompt) -> Int {
    let (key, library) = (prompt.record.key, prompt.library)
    guard prompt.record.kind != .allowance else { return 0 }
    let before = broker.grants[key] ?? broker.undecided(key, library)
    var after = before.record
    after.status = .limited
    let joining = library.selections.joining(from: before.record, to: after)
    return library.assets.selectable(library.catalogue.difference(joining, before.planned)).count
  }

  private func suggested(by prompt: Prompt) -> Int {
    guard prompt.record.kind == .authorization, let grant = broker.grants[prompt.record.key] else { return 0 }
    return prompt.library.assets.selectable(grant.planned).count
  }

  /// The library of one of the caller's prompts, in which to resolve a selector.
  /// - Throws: `notFound` for another owner's prompt or an answered one; `refused` for one whose
  ///   app changed its words.
  package func library(of identifier: AppIdentifier) throws(BrokerError) -> LibraryState {
    if let renewed = broker.prompts.renewed(identifier), renewed.library.isOwner(caller.uid) { throw .wordsChanged() }
    guard let prompt = broker.prompts[identifier], prompt.library.isOwner(caller.uid),
      !broker.promptService.isOver(prompt),
      let library = broker.libraries[prompt.record.key.library]
    else { throw .unknownPrompt() }
    return library
  }

  /// Adds assets to one of the caller's drafts of an answer's selection. Nobody else is told.
  ///
  /// - Parameter draft: the draft to extend; nil begins a new one.
  /// - Returns: the draft's name, and the number of assets in it.
  /// - Throws: `notFound`, as ``answer(_:_:selection:draft:completion:)``.
  package func draft(
    _ identifier: AppIdentifier, _ selection: Selection, to draft: AppIdentifier?
  ) throws(BrokerError) -> (draft: AppIdentifier, count: Int) {
    let library = try library(of: identifier)
    guard let prompt = broker.prompts[identifier], !prompt.isBeingAnswered else { throw .unknownPrompt() }
    return try caller.selections.add(selection, to: draft, among: &prompt.drafts, of: library, Self.noDraftOfPrompt)
  }

  private static let noDraftOfPrompt = BrokerError.notFound(
    "draft", "There is no such draft for this request; begin one with DraftAnswer.")

  /// Answers a prompt. The completion gets the grant and the numbers of the recorded decisions,
  /// after the commit; the waiting app is told at the same time.
  /// - Parameter selection: the new selection, for `select` and `change`. A change keeps selected
  ///   assets that are trashed or never shared. Nil: nothing for `select`, no change for `change`.
  /// - Parameter draft: a draft of the caller's that is selected as well.
  /// - Parameter live: conditions that keep the selection up to date from now on. Nil: a new
  ///   selection is not live.
  /// - Parameter terms: the facts and changes that the answer allows. An app that asks to see alone
  ///   may change nothing, unless they say so.
  /// - Parameter end: the end of the access that the answer gives.
  /// - Parameter language: the languages in which the prompt was read, as ``view(of:in:)``
  ///   takes them. The words shown are stored with the decision, and with the grant if they are
  ///   about its level.
  /// - Throws (by `completion`): `notFound` for another owner's prompt or an answered one;
  ///   `refused` for an answer that the prompt does not offer, and if the app changed its words
  ///   since; `failed`: nothing was granted, and the prompt is still pending.
  package func answer(
    _ identifier: AppIdentifier, _ answer: PromptAnswer, selection: Selection? = nil, draft: AppIdentifier? = nil,
    live: LiveSelection? = nil, terms: GrantTerms.Choice = .init(), end: GrantSettings.End? = nil,
    language: String? = nil,
    completion: @escaping Completion<(GrantView, decisions: [UInt64])>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let library = try library(of: identifier)
      guard let prompt = broker.prompts[identifier], !prompt.isBeingAnswered,
        let app = broker.apps[prompt.record.key.app]
      else { throw .unknownPrompt() }
      let key = prompt.record.key
      let selection = try caller.selections.union(
        selection, draft, among: prompt.drafts, of: library, Self.noDraftOfPrompt)
      let answers = PromptAnswer.answers(to: prompt.record.kind, level: key.level)
      guard answers.contains(answer) else {
        throw .refused(
          .answersOnly, "This request takes one of these answers: \(answers.map(\.rawValue).joined(separator: ", ")).")
      }
      guard terms.isEmpty || (answer == .allow || answer == .select) && key.level == .readWrite else {
        throw .refused("Terms belong to an answer that lets an app see photos: allow or select.")
      }
      guard end == nil || prompt.record.kind == .authorization && answer != .deny else {
        throw .refused("An end belongs to an answer that gives access: allow or select.")
      }
      if case .at(let end) = end, end <= broker.environment.now { throw .endsInPast() }
      let grant = broker.grants[key] ?? broker.undecided(key, library)
      broker.grants.insert(grant)
      let words = ShownWords(prompt.words, of: app.record, languages: language)
      let edit = try edit(for: prompt, answer, terms, end, to: words, selection, live, grant, library) {
        [self] result in
        finish(prompt, result, completion)
      }
      note(answer, to: prompt, of: app.record)
      prompt.isBeingAnswered = true
      broker.editor.submit(edit, on: grant, in: library)
    }
  }

  private func note(_ answer: PromptAnswer, to prompt: Prompt, of app: AppRecord) {
    guard let kind = AskingBackoff.Kind(prompt.record.kind) else { return }
    switch answer {
    case .deny, .cancel: broker.promptService.backOff(kind, prompt.library, app)
    // Any other answer resets the dismissals. Denials stay counted.
    default: if kind != .denied { broker.promptService.forgive(kind, prompt.library, app) }
    }
  }

  private func edit(
    for prompt: Prompt, _ answer: PromptAnswer, _ terms: GrantTerms.Choice, _ end: GrantSettings.End?,
    to words: ShownWords,
    _ selection: Selection?, _ live: LiveSelection?, _ grant: GrantState,
    _ library: LibraryState, completion: @escaping Completion<GrantOutcome>
  ) throws(BrokerError) -> GrantEdit {
    var chosen: GrantEdit.SelectionChange
    switch answer {
    case .select:
      chosen = .replace(
        selected(selection ?? library.catalogue.emptySelection(), prompt, grant, library, isLive: live != nil))
    case .change:
      chosen = selection.map { .replace(selected($0, prompt, grant, library, isLive: live != nil)) } ?? .none
    case .allow, .deny, .keep, .cancel, .resume, .pause: chosen = .none
    }
    let setLive = try setLive(live, &chosen, prompt, grant, library)
    let status: AuthorizationStatus? =
      switch (prompt.record.kind, answer) {
      case (.authorization, .allow): .authorized
      case (.authorization, .select): .limited
      case (.authorization, _): .denied
      case (.keepSelection, _), (.selection, _), (.allowance, _): nil
      }
    let fresh = broker.newAccessor()
    let decider = caller.decider(in: library, source: .prompt)
    let settings = status.map { Self.settings($0, terms, end, of: prompt) }
    let agreement = Agreement(time: broker.environment.now, user: caller.uid, words: words)
    return GrantEdit(
      decider: decider, action: answer.rawValue, words: words, selection: chosen,
      change: { record in
        setLive(&record)
        if answer == .resume { record.setPaused(false, by: nil) }
        guard let settings else { return }
        settings.apply(to: &record, by: decider.role, accessor: fresh, hasEnded: false)
        if record.status.grantsAccess { record.agreement = agreement }
      }, completion: completion)
  }

  /// The settings of a grant after an answer: an app that asks to see alone gets no more, unless the
  /// person says so (R151).
  private static func settings(
    _ status: AuthorizationStatus, _ terms: GrantTerms.Choice, _ end: GrantSettings.End?, of prompt: Prompt
  ) -> GrantSettings {
    var settings = GrantSettings(status: status, end: end)
    settings.terms = terms
    settings.defaults = prompt.defaultTerms.held(by: prompt.library.record.defaultTerms)
    if prompt.words.isReadOnly, terms.changes == nil { settings.terms.changes = false }
    return settings
  }

  /// The terms of limited access if the answer names none.
  private func proposed(by prompt: Prompt) -> GrantTerms? {
    let key = prompt.record.key
    guard prompt.record.kind == .authorization, key.level == .readWrite else { return nil }
    var record = (broker.grants[key] ?? broker.undecided(key, prompt.library)).record
    Self.settings(.limited, .init(), nil, of: prompt)
      .apply(to: &record, by: .owner, accessor: record.accessor, hasEnded: true)
    return record.termsInForce
  }

  /// The change of a selection's conditions that goes along with a choice. A selection that is live stays so
  /// when an app asks for more: its person takes photos out, or puts them back.
  private func setLive(
    _ live: LiveSelection?, _ chosen: inout GrantEdit.SelectionChange, _ prompt: Prompt, _ grant: GrantState,
    _ library: LibraryState
  ) throws(BrokerError) -> (inout GrantRecord) -> Void {
    guard case .replace(let kept) = chosen else { return { _ in } }
    guard live == nil, prompt.record.kind != .authorization, let present = grant.record.live else {
      return { $0.live = live }
    }
    let catalogue = library.catalogue
    var adding = catalogue.difference(kept, grant.planned)
    // Missing photos are not shown, so nobody took them out.
    let removing = catalogue.selection(of: catalogue.numbers(in: catalogue.difference(grant.planned, kept)))
    let change = try caller.selections.adjust(present, of: grant, in: library, adding: &adding, removing: removing)
    chosen = .edit(adding: adding, removing: removing)
    return change ?? { _ in }
  }

  /// The selection after an answer. A changed selection keeps trashed and never-shared assets, as
  /// in settings, and drops missing ones, as every new choice does. A first grant, and an empty
  /// choice, are taken literally.
  private func selected(
    _ chosen: Selection, _ prompt: Prompt, _ grant: GrantState, _ library: LibraryState, isLive: Bool
  ) -> Selection {
    let catalogue = library.catalogue
    let chosen = isLive ? catalogue.union(chosen, library.selections.own(of: grant)) : chosen
    guard !isLive, prompt.record.kind != .authorization, catalogue.count(of: chosen) > 0 else { return chosen }
    let present = catalogue.subset(of: grant.planned, without: [])
    let unseen = catalogue.difference(present, catalogue.subset(of: present, without: [.neverShare, .trashed]))
    return catalogue.union(chosen, unseen)
  }

  private func finish(
    _ prompt: Prompt, _ result: Result<GrantOutcome, BrokerError>,
    _ completion: @escaping Completion<(GrantView, decisions: [UInt64])>
  ) {
    switch result {
    case .failure(let error):
      prompt.isBeingAnswered = false
      // The failed answer was about the old words; the renewed prompt shows the present ones.
      if broker.prompts[prompt.record.identifier] === prompt, let app = broker.apps[prompt.record.key.app],
        prompt.isOutdated(app.record.manifest)
      {
        broker.promptService.renew(prompt, of: app)
      }
      completion(.failure(error))
    case .success(let outcome):
      if broker.prompts[prompt.record.identifier] != nil { broker.promptService.close(prompt) }
      guard let view = caller.view(outcome.grant) else { return completion(.failure(.unknownGrant())) }
      completion(.success((view, decisions: [outcome.decision].compactMap { $0 })))
    }
  }
}

extension BrokerError {
  static func wordsChanged() -> Self {
    .refused(
      .wordsChanged,
      "Nothing was decided, because the app changed its description after you read it; list the requests and read it "
        + "again.")
  }
}
