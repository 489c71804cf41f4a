import Limits
import PhotoModel

/// The rules of the caller's libraries.
package struct AdminRules: AdminPart {
  let caller: AdminSession

  /// Rules of the caller's libraries, by library, in the order of evaluation.
  /// - Throws: `notFound` for a library outside the caller's reach.
  package func list(library name: LibraryName? = nil) throws(BrokerError) -> [RuleRecord] {
    if let name { return broker.rules.rules(of: try caller.library(name).record.name) }
    return caller.libraries.list.flatMap { broker.rules.rules(of: $0.record.name) }
  }

  /// Removes a rule at once; its past decisions stay. Owners may remove an administrator's rule too
  /// (R131). Completes with the number of the decision.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func remove(_ name: String, of libraryName: LibraryName, completion: @escaping Completion<[UInt64]>) {
    attempt(completion) { () throws(BrokerError) in
      let library = try caller.library(libraryName)
      guard let rule = broker.rules.rules(of: libraryName).first(where: { $0.name == name }) else {
        throw .unknownRule()
      }
      guard mayChange(rule, in: library) else { throw .foreignRule() }
      let record = DecisionRecord(
        time: broker.environment.now, by: caller.decider(in: library), action: "removeRule", library: libraryName,
        before: rule.summary, after: "")
      broker.rules.remove(name, of: libraryName)
      let number = DecisionNumber()
      let kept: StoreChange = .decide(record, change: DecisionChange(.rule(ValueChange(rule, nil))), number: number)
      broker.store.commit([.removeRule(libraryName, name: name), kept, broker.narrowingMark()]) { failure in
        completion(failure.map { .failure(.notKept($0, narrowed: true)) } ?? .success([number.value].compactMap { $0 }))
      }
    }
  }

  /// Previews the effects of making these rules together on present rules and pending prompts.
  /// Empty if one of them would be refused.
  package func effects(ofMaking made: [RuleRecord]) -> [RuleEffect] {
    guard !made.isEmpty, made.count <= BrokerLimits.decisionsPerFile, (try? changes(making: made)) != nil else {
      return []
    }
    var book = broker.rules
    let kept = made.map { madeNow(withAuthor($0)) }
    for rule in kept { book.put(rule) }
    var answers: [LibraryName: [String: Int]] = [:]
    for prompt in broker.prompts.all where prompt.rule == nil && !prompt.isBeingAnswered {
      let key = prompt.record.key
      guard let app = broker.apps[key.app],
        let rule = broker.ruleEngine.rule(for: prompt.record.kind, key, app.record, among: book)
      else { continue }
      answers[key.library, default: [:]][rule.name, default: 0] += 1
    }
    return kept.map { rule in
      guard let library = try? caller.library(rule.library) else {
        return RuleEffect(before: nil, isNews: true, answers: 0)
      }
      return RuleEffect(
        before: broker.rules.rules(of: rule.library).first { $0.name == rule.name }, isNews: !isInForce(rule),
        answers: caller.decides(in: library) || rule.role == .administrator ? answers[rule.library]?[rule.name] ?? 0 : 0
      )
    }
  }

  /// Whether the library has this rule and it is in force. A suspended rule has to be made anew.
  private func isInForce(_ rule: RuleRecord) -> Bool {
    broker.rules.has(rule)
      && broker.rules.rules(of: rule.library).contains { $0.name == rule.name && broker.ruleEngine.holds($0) }
  }

  private func withAuthor(_ rule: RuleRecord) -> RuleRecord {
    var rule = rule
    rule.author = caller.uid
    rule.role = rule.answer == .restrict ? .administrator : .owner
    return rule
  }

  /// The rule with a time after all decisions that it contradicts, even if the clock stands still.
  private func madeNow(_ rule: RuleRecord) -> RuleRecord {
    var rule = rule
    rule.made = broker.environment.now
    while let decided = broker.ruleEngine.contradiction(of: rule).flatMap({ app in
      broker.grants[GrantKey(library: rule.library, app: app.identifier, level: rule.level)]?.record.decided
    }) { rule.made = decided.advanced(by: .microseconds(1)) }
    return rule
  }

  /// Whether the caller may remove a rule or restore it. Owners may change every rule of their
  /// library, an administrator's too (R130, R131).
  func mayChange(_ rule: RuleRecord, in library: LibraryState) -> Bool {
    caller.decides(in: library) || rule.role == .administrator && caller.isAdministrator
  }

  /// The store changes that make rules, after a check of the caller's rights. Rules in force need
  /// none.
  /// - Throws: `refused` with the fault; `notPermitted` to an administrator whose rule would give
  ///   access.
  func changes(making rules: [RuleRecord], source: DecisionSource = .file) throws(BrokerError) -> [StoreChange] {
    var changes: [StoreChange] = []
    var names: [LibraryName: Set<String>] = [:]
    for rule in rules {
      let library = try caller.library(rule.library)
      guard names[rule.library, default: []].insert(rule.name).inserted else {
        throw .refused(
          .ruleTwice, "The rule \(rule.name) is there twice; give each rule of a library a name of its own.",
          ["rule": rule.name])
      }
      let present = broker.rules.rules(of: rule.library)
      let before = present.first { $0.name == rule.name }
      if let before, !mayChange(before, in: library) { throw .foreignRule() }
      guard before != nil || present.count + names[rule.library, default: []].count <= BrokerLimits.rulesPerLibrary
      else {
        throw .tooManyRules()
      }
      try check(rule, in: library)
      let withAuthor = withAuthor(rule)
      if isInForce(withAuthor) { continue }
      let kept = madeNow(withAuthor)
      changes.append(.putRule(kept))
      let record = DecisionRecord(
        time: kept.made, by: caller.decider(in: library, source: source), action: "rule", library: rule.library,
        before: before?.summary ?? "", after: kept.summary)
      changes.append(
        .decide(record, change: DecisionChange(.rule(ValueChange(before, kept))), number: DecisionNumber()))
    }
    return changes
  }

  private func check(_ rule: RuleRecord, in library: LibraryState) throws(BrokerError) {
    guard LibraryName(rule.name) != nil else {
      throw .refused(.ruleName, "A rule's name has 1 to 64 of a-z, 0-9 and hyphen, and starts with a letter.")
    }
    if rule.answer == .restrict {
      guard caller.isAdministrator else {
        throw .notPermitted(
          .administratorsRestrict, "Only an administrator's rule blocks; as the owner, have it decline.")
      }
    } else if !caller.decides(in: library) {
      throw .notPermitted(.restrictsOnly, "An administrator's rules only block; the library's owner makes the others.")
    }
    if rule.answer == .select || rule.answer == .keep, rule.level == .addOnly {
      throw .refused(
        .ruleLimitedAdding,
        "Access to add only has no selection; the rule \(rule.name) must allow or decline.",
        ["rule": rule.name])
    }
    if rule.answer != .select, !rule.selectors.isEmpty {
      throw .refused(
        .ruleSelectsNot,
        "Only a rule that answers select selects assets; \(rule.name) answers \(rule.answer.rawValue).",
        ["rule": rule.name])
    }
    if rule.answer == .select, rule.selectors.isEmpty || rule.selectors.contains(where: { $0 == RuleSelector() }) {
      throw .refused(
        .ruleSelectsNothing,
        "The rule \(rule.name) answers select and chooses no assets; add select, with {\"all\": true} for everything.",
        ["rule": rule.name])
    }
    guard rule.selectors.count <= BrokerLimits.selectorsPerRule else {
      throw .refused(
        .ruleChoices, "A rule has at most \(BrokerLimits.selectorsPerRule) choices of assets.",
        ["limit": "\(BrokerLimits.selectorsPerRule)"])
    }
    guard rule.terms.isEmpty || (rule.answer == .allow || rule.answer == .select) && rule.level == .readWrite else {
      throw .refused("Only a rule that lets an app see photos has terms: it allows or selects, to see and change.")
    }
    if let lifetime = rule.lifetimeSeconds, !(1...BrokerLimits.ruleLifetimeSeconds).contains(lifetime) {
      throw .refused(
        .ruleLifetime,
        "Access by a rule lasts 1 second to \(Amount.duration(seconds: BrokerLimits.ruleLifetimeSeconds)).",
        ["limit": "\(BrokerLimits.ruleLifetimeSeconds)"])
    }
    if let policy = rule.albumPolicy, LibraryName(policy) == nil {
      throw .refused(
        .policyName, "An album policy's name has 1 to 64 of a-z, 0-9 and hyphen; list the plugins to see them.")
    }
  }
}

/// The effect of making one rule.
package struct RuleEffect {
  /// The earlier rule of the same name. Nil: there is none.
  package let before: RuleRecord?
  /// Whether the library has no such rule yet.
  package let isNews: Bool
  /// The number of pending prompts that it answers at once.
  package let answers: Int
}

extension RuleRecord {
  var summary: String {
    var words = ["\(name): \(answer.rawValue) \(level.rawValue) for \(identifier ?? "any app") of user \(uid)"]
    if let systemIdentity { words.append(systemIdentity) }
    if let albumPolicy { words.append("albums \(albumPolicy)") }
    if let lifetimeSeconds { words.append("for \(lifetimeSeconds) s") }
    return words.joined(separator: ", ")
  }
}

extension BrokerError {
  static func unknownRule() -> Self {
    .notFound("rule", "The library has no rule of that name; list the rules to see their names.")
  }
  static func tooManyRules() -> Self {
    .refused(
      .tooManyRules, "A library has at most \(BrokerLimits.rulesPerLibrary) rules; remove some first.",
      ["limit": "\(BrokerLimits.rulesPerLibrary)"])
  }
  static func foreignRule() -> Self {
    .notPermitted(.foreignRule, "Only the library's owners change this rule; an administrator's own rules only block.")
  }
}
