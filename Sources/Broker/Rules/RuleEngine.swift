import Catalogue
import PhotoModel

/// Answers prompts by the rules that are in force.
package struct RuleEngine {
  let broker: Broker

  /// Whether a rule is in force: its author still decides in the library, and no later decision
  /// contradicts it. A restricting rule is always in force, whoever made it.
  package func holds(_ rule: RuleRecord) -> Bool {
    rule.answer == .restrict || hasAuthority(rule) && contradiction(of: rule) == nil
  }

  /// Whether the rule's author decides in the library.
  package func hasAuthority(_ rule: RuleRecord) -> Bool {
    broker.libraries[rule.library].map { broker.administrators.decides(rule.author, in: $0) } ?? false
  }

  /// An app of the rule to which a person gave less access after the rule was made. The rule must
  /// then not answer: a program without its token counts as a new app, and could regain the access
  /// that was removed.
  package func contradiction(of rule: RuleRecord) -> App? {
    guard rule.answer.access > .none else { return nil }
    return broker.apps.apps(of: rule.uid).first { app in
      rule.concerns(app.record)
        && broker.grants[GrantKey(library: rule.library, app: app.identifier, level: rule.level)].map {
          $0.contradicts(rule, broker.environment)
        }
          ?? false
    }
  }

  func rule(for kind: PromptRecord.Kind, _ key: GrantKey, _ app: AppRecord, among rules: RuleBook) -> RuleRecord? {
    rules.rules(of: key.library).first {
      $0.answers(kind) && $0.level == key.level && $0.concerns(app) && holds($0)
        && broker.grants[key]?.hasEnded(since: $0) != true
    }
  }

  /// Whether a decision about an app suspends a rule of its library.
  func contradictsRule(_ grant: GrantState, of app: AppRecord) -> Bool {
    broker.rules.rules(of: grant.record.key.library).contains {
      $0.level == grant.record.key.level && $0.concerns(app) && grant.contradicts($0, broker.environment)
    }
  }

  /// Answers a prompt by its rule, if any. If that fails a person is asked.
  func answerByRule(_ prompt: Prompt) {
    guard let rule = prompt.rule, !prompt.isBeingAnswered else { return }
    prompt.isBeingAnswered = true
    guard rule.answer == .select, !rule.selectors.isEmpty, let delegate = broker.delegate else {
      return answer(prompt, by: rule, selecting: nil)
    }
    delegate.select(rule.selectors, in: prompt.library) { [self] selection in
      guard broker.prompts[prompt.record.identifier] === prompt else { return }
      // The rule may have been replaced or removed, or its author may have lost the right to
      // decide.
      let present = present(prompt)
      guard present == rule else { return answer(prompt, anew: present) }
      guard let selection else { return leaveToPerson(prompt) }
      answer(prompt, by: rule, selecting: selection)
    }
  }

  private func present(_ prompt: Prompt) -> RuleRecord? {
    broker.apps[prompt.record.key.app].flatMap {
      rule(for: prompt.record.kind, prompt.record.key, $0.record, among: broker.rules)
    }
  }

  /// Answers a prompt by the present rule, or leaves it to a person.
  private func answer(_ prompt: Prompt, anew rule: RuleRecord?) {
    guard let rule else { return leaveToPerson(prompt) }
    prompt.rule = rule
    prompt.isBeingAnswered = false
    answerByRule(prompt)
  }

  private func answer(_ prompt: Prompt, by rule: RuleRecord, selecting chosen: Selection?) {
    guard rule.answer != .keep else {
      // Nothing changes, so nothing is recorded. Otherwise an app that restarts often could bury
      // decisions in the record.
      broker.store.commit([.removePrompt(prompt.record.identifier)]) { _ in }
      return broker.promptService.close(prompt)
    }
    let library = prompt.library
    let grant = broker.grants[prompt.record.key] ?? broker.undecided(prompt.record.key, library)
    broker.grants.insert(grant)
    var settings = GrantSettings()
    var selection = GrantEdit.SelectionChange.none
    switch rule.answer {
    case .allow: settings.status = .authorized
    case .select:
      settings.status = .limited
      selection = .replace(chosen ?? library.catalogue.emptySelection())
    case .deny: settings.status = .denied
    case .restrict: settings.status = .restricted
    case .keep: break
    }
    if settings.status?.grantsAccess ?? false {
      settings.albumPolicy = rule.albumPolicy
      settings.terms = rule.terms
      settings.end = rule.lifetimeSeconds.map { .at(broker.environment.now.advanced(by: .seconds($0))) }
    }
    let fresh = broker.newAccessor()
    let decider = Decider(uid: rule.author, role: .rule, origin: rule.name, source: .rule)
    let edit = GrantEdit(
      decider: decider, action: rule.answer.rawValue, selection: selection,
      change: { record in
        guard settings.status != nil else { return }
        if rule.answer == .select { record.live = rule.live }
        settings.apply(to: &record, by: decider.role, accessor: fresh, hasEnded: false)
      },
      completion: { [self] result in
        guard broker.prompts[prompt.record.identifier] === prompt else { return }
        if case .success = result { broker.promptService.close(prompt) } else { leaveToPerson(prompt) }
      })
    broker.editor.submit(edit, on: grant, in: library)
  }

  /// Leaves a prompt to a person, because its rule could not be carried out.
  private func leaveToPerson(_ prompt: Prompt) {
    prompt.rule = nil
    prompt.isBeingAnswered = false
    if let app = broker.apps[prompt.record.key.app], prompt.isOutdated(app.record.manifest) {
      return broker.promptService.renew(prompt, of: app)
    }
    broker.store.commit([.putPrompt(prompt.record)]) { _ in }
    broker.delegate?.promptsChanged(owners: prompt.owners)
  }

  /// Answers pending prompts by rules that have come into force, after a change of rules or of
  /// deciding users.
  func rulesChanged(in library: LibraryName) {
    for prompt in broker.prompts.all
    where prompt.record.key.library == library && prompt.rule == nil && !prompt.isBeingAnswered {
      prompt.rule = present(prompt)
      guard prompt.rule != nil else { continue }
      broker.delegate?.promptsChanged(owners: prompt.owners)
      answerByRule(prompt)
    }
  }
}
