package import Catalogue
import PhotoModel

extension AdminSession {
  /// The questions that wait for the caller, the oldest first. They go to the library's owners, whoever runs the app (R126).
  /// - Parameter language: a language tag for the apps' own words; nil: the manifest's default.
  package func prompts(language: String?) -> [PromptView] {
    broker.prompts.all.compactMap { prompt in
      guard prompt.library.record.isOwner(uid), prompt.rule == nil, !prompt.isBeingAnswered, let app = broker.apps[prompt.record.key.app]
      else { return nil }
      return PromptView(
        prompt: prompt.record, app: app.record, connections: broker.sessions.count(of: app.identifier),
        usageDescription: app.usageDescription(prompt.record.key.level, language: language) ?? "",
        answers: PromptAnswer.answers(to: prompt.record.kind, level: prompt.record.key.level))
    }
  }

  /// The library that a question of the caller's is about, to resolve a selector in.
  package func library(ofPrompt identifier: AppIdentifier) throws(BrokerError) -> LibraryState {
    guard let prompt = broker.prompts[identifier], prompt.library.record.isOwner(uid),
      let library = broker.libraries[prompt.record.key.library]
    else { throw .unknownPrompt() }
    return library
  }

  /// Adds assets to what the caller drafts as the selection of an answer; nobody else is told.
  ///
  /// - Parameter restarts: forgets what was drafted before.
  /// - Returns: how many assets the draft holds.
  /// - Throws: `notFound`, as ``answer(_:_:selection:drafted:completion:)``.
  package func draft(_ identifier: AppIdentifier, _ selection: Selection, restarts: Bool) throws(BrokerError) -> Int {
    let library = try library(ofPrompt: identifier)
    guard let prompt = broker.prompts[identifier], !prompt.isBeingAnswered else { throw .unknownPrompt() }
    let before = restarts ? nil : prompt.drafts[uid]
    let draft = before.map { library.catalogue.union($0, selection) } ?? selection
    prompt.drafts[uid] = draft
    return library.catalogue.count(of: draft)
  }

  /// Answers a question. In force, and kept, when it answers; whoever waits is told then.
  /// - Parameter selection: for `select` and `change`, what is selected from now on. Nil: nothing is, or, for `change`,
  ///   the selection stays.
  /// - Parameter drafted: whether what the caller drafted is selected beside it.
  /// - Throws (by `completion`): `notFound` for a question that is not the caller's or was answered; `refused` for an
  ///   answer that it does not have; `failed`: an answer that gives access changed nothing, and the question is open still.
  package func answer(
    _ identifier: AppIdentifier, _ answer: PromptAnswer, selection: Selection? = nil, drafted: Bool = false,
    completion: @escaping (Result<GrantView, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try library(ofPrompt: identifier)
      guard let prompt = broker.prompts[identifier], !prompt.isBeingAnswered else { throw .unknownPrompt() }
      let key = prompt.record.key
      var selection = selection
      if drafted {
        guard let draft = prompt.drafts[uid] else {
          throw BrokerError(.refused, "Nothing was drafted for this question; call DraftAnswer first.")
        }
        selection = selection.map { library.catalogue.union($0, draft) } ?? draft
      }
      let answers = PromptAnswer.answers(to: prompt.record.kind, level: key.level)
      guard answers.contains(answer) else {
        throw BrokerError(.refused, "This question is answered by one of: \(answers.map(\.rawValue).joined(separator: ", ")).")
      }
      let grant = broker.grants[key] ?? broker.undecided(key, library)
      broker.grants.insert(grant)
      if prompt.record.kind == .authorization {
        if answer == .deny, let app = broker.apps[key.app] {
          broker.prompts.denials.note(key, app.record, at: broker.environment.now)
        }
      }
      prompt.isBeingAnswered = true
      let edit = edit(for: prompt, answer, selection, library) { [self] result in
        finish(prompt, result, completion)
      }
      broker.editor.submit(edit, on: grant, in: library)
    } catch {
      completion(.failure(error))
    }
  }

  private func edit(
    for prompt: Prompt, _ answer: PromptAnswer, _ selection: Selection?, _ library: LibraryState,
    completion: @escaping (Result<GrantOutcome, BrokerError>) -> Void
  ) -> GrantEdit {
    let chosen: GrantEdit.SelectionChange
    switch answer {
    case .select: chosen = .replace(selection ?? library.catalogue.emptySelection())
    case .change: chosen = selection.map { .replace($0) } ?? .none
    case .allow, .deny, .keep, .cancel: chosen = .none
    }
    let status: AuthorizationStatus? =
      switch (prompt.record.kind, answer) {
      case (.authorization, .allow): .authorized
      case (.authorization, .select): .limited
      case (.authorization, _): .denied
      case (.keepSelection, _), (.selection, _): nil
      }
    let fresh = broker.newAccessor()
    return GrantEdit(
      decider: decider(in: library, source: .prompt), action: answer.rawValue, selection: chosen,
      change: { record in
        guard let status else { return }
        GrantSettings(status: status).apply(to: &record, accessor: fresh, hasEnded: false)
      }, completion: completion)
  }

  private func finish(
    _ prompt: Prompt, _ result: Result<GrantOutcome, BrokerError>,
    _ completion: @escaping (Result<GrantView, BrokerError>) -> Void
  ) {
    switch result {
    case .failure(let error):
      prompt.isBeingAnswered = false
      completion(.failure(error))
    case .success(let outcome):
      if broker.prompts[prompt.record.identifier] != nil { broker.close(prompt) }
      guard let view = view(outcome.grant) else { return completion(.failure(.unknownGrant())) }
      completion(.success(view))
    }
  }
}
