package import Catalogue
import Limits
import PhotoModel

/// One grant's part of a list of decisions that are applied together.
package struct GrantEntry {
  package var key: GrantKey
  package var settings: GrantSettings
  /// Assets to add to the selection. Nil: the selection stays.
  package var adding: Selection?
  /// Whether ``adding`` replaces the selection instead of extending it.
  package var replaces: Bool
  /// The conditions of a live selection. Nil: a selection that the entry changes is not live.
  package var live: LiveSelection?

  package init(
    key: GrantKey, live: LiveSelection? = nil, settings: GrantSettings, adding: Selection? = nil,
    replaces: Bool = false
  ) {
    self.key = key
    self.settings = settings
    self.adding = adding
    self.replaces = replaces
    self.live = live
  }

  /// Sets the conditions. The same ones again keep what people took out.
  func setLive(_ record: inout GrantRecord) {
    if adding != nil, !LiveSelection.agree(record.live, live) { record.live = live }
  }
}

/// The effect of one ``GrantEntry``, applied or previewed.
package struct EntryOutcome {
  /// Nil: nobody had decided about this grant.
  package let before: GrantView?
  package let after: GrantView
  package let added: [AssetNumber]
  package let removed: [AssetNumber]
}

/// Decisions and rules that are applied together.
package struct AdminBatch: AdminPart {
  let caller: AdminSession

  /// Applies decisions and rules in one commit: all of them, or none. Restrictions hold at once,
  /// extensions after the commit.
  ///
  /// - Parameters:
  ///   - source: the origin to record, such as a file.
  ///   - preview: computes the outcomes and changes nothing.
  /// - Throws (by `completion`): an error of ``AdminGrants/set(library:app:level:_:completion:)`` for the
  ///   first invalid entry, with its position in the message; `refused` for a grant that is listed
  ///   twice; `failed`.
  package func apply(
    _ entries: [GrantEntry], rules: [RuleRecord] = [], source: DecisionSource = .file, preview: Bool = false,
    completion: @escaping Completion<([EntryOutcome], Receipt)>
  ) {
    attempt(completion) { () throws(BrokerError) in
      try check(entries, rules)
      let ruleChanges = try caller.rules.changes(making: rules, source: source)
      let before = entries.map { entry in
        broker.grants[entry.key].flatMap { $0.record.status == .notDetermined ? nil : caller.view($0) }
      }
      if preview {
        var outcomes: [EntryOutcome] = []
        for (index, entry) in entries.enumerated() {
          outcomes.append(try self.preview(entry, before[index], at: index))
        }
        return completion(.success((outcomes, Receipt())))
      }
      try submit(entries, before, ruleChanges, source, completion)
    }
  }

  private func check(_ entries: [GrantEntry], _ rules: [RuleRecord]) throws(BrokerError) {
    guard !entries.isEmpty || !rules.isEmpty else {
      throw .refused(.nothingToApply, "There is nothing to apply; give a decision or a rule.")
    }
    guard entries.count + rules.count <= BrokerLimits.decisionsPerFile else {
      throw .refused(
        .applyingTooMany,
        "At most \(BrokerLimits.decisionsPerFile) decisions and rules are applied together; split them.",
        ["limit": "\(BrokerLimits.decisionsPerFile)"])
    }
    var seen: Set<GrantKey> = []
    for (index, entry) in entries.enumerated() {
      try numbered(index) { () throws(BrokerError) in
        guard seen.insert(entry.key).inserted else {
          throw .refused(
            .entryTwice, "This library, app and level is there twice; say everything about it in one entry.")
        }
        let library = try caller.library(entry.key.library)
        if entry.adding == nil {
          _ = try caller.grants.checked(entry.settings, of: entry.key)
        } else {
          _ = try caller.editableLibrary(entry.key.library)
          _ = try caller.app(entry.key.app, for: library)
          if !entry.settings.isEmpty { _ = try caller.grants.checked(entry.settings, of: entry.key) }
          let status = entry.settings.status ?? broker.grants[entry.key]?.record.status ?? .notDetermined
          guard status == .limited else {
            throw .refused(
              .noSelection,
              "The access is “\(status.ownersWords)”, so there is no selection to edit; set it to "
                + "selected photos as well.",
              ["status": status.name])
          }
        }
      }
    }
  }

  private func numbered<R>(_ index: Int, _ body: () throws(BrokerError) -> R) throws(BrokerError) -> R {
    do throws(BrokerError) { return try body() } catch {
      throw BrokerError(error.code, "Entry \(index + 1): \(error.message)", error.reason)
    }
  }

  private func submit(
    _ entries: [GrantEntry], _ before: [GrantView?], _ ruleChanges: [StoreChange], _ source: DecisionSource,
    _ completion: @escaping Completion<([EntryOutcome], Receipt)>
  ) throws(BrokerError) {
    let kept: Completion<[EntryAnswer]> = { [self] result in
      result.orFail(completion) { answers in
        takeUp(ruleChanges)
        finish(answers.sorted { $0.index < $1.index }.map(\.outcome), before, ruleChanges, completion)
      }
    }
    let planned = try planned(entries, source, kept)
    // No entry can be refused after this point, so the rules may take effect.
    let narrows = narrow(by: ruleChanges)
    let alongside = ruleChanges + (narrows ? [broker.narrowingMark()] : [])
    guard !planned.isEmpty else {
      if alongside.isEmpty { return kept(.success([])) }
      return broker.store.commit(alongside) { failure in
        kept(failure.map { .failure(.notKept($0, narrowed: narrows)) } ?? .success([]))
      }
    }
    let batch = GrantBatch(alongside: alongside)
    for edit in planned { batch.add(edit.edit, on: edit.grant, in: edit.library) }
    broker.editor.submit(batch)
  }

  private func planned(
    _ entries: [GrantEntry], _ source: DecisionSource, _ completion: @escaping Completion<[EntryAnswer]>
  ) throws(BrokerError) -> [AdminGrants.PlannedEdit] {
    // A gathering of zero answers would complete at once, before the rules are committed.
    guard !entries.isEmpty else { return [] }
    let gathered = CompletionGroup<EntryAnswer>(count: entries.count, completion: completion)
    var planned: [AdminGrants.PlannedEdit] = []
    for (index, entry) in entries.enumerated() {
      let edit = try plan(entry, at: index, source) { gathered.take($0.map { EntryAnswer(index: index, outcome: $0) }) }
      try numbered(index) { () throws(BrokerError) in
        try broker.editor.checkMarks(edit.edit, on: edit.grant, in: edit.library)
      }
      planned.append(edit)
    }
    return planned
  }

  /// Applies restrictions of rules before the commit: removes replaced rules and inserts new
  /// denials.
  /// - Returns: whether the rules restrict anything.
  private func narrow(by ruleChanges: [StoreChange]) -> Bool {
    var narrows = false
    for case .putRule(let rule) in ruleChanges {
      let isReplaced = broker.rules.rules(of: rule.library).contains { $0.name == rule.name }
      switch rule.answer {
      case .deny, .restrict: broker.rules.put(rule, isKept: false)
      case .allow, .select, .keep:
        guard isReplaced else { continue }
        broker.rules.remove(rule.name, of: rule.library)
      }
      narrows = true
    }
    return narrows
  }

  private struct EntryAnswer {
    let index: Int
    let outcome: GrantOutcome
  }

  private func plan(
    _ entry: GrantEntry, at index: Int, _ source: DecisionSource, _ completion: @escaping Completion<GrantOutcome>
  ) throws(BrokerError) -> AdminGrants.PlannedEdit {
    let library = try caller.library(entry.key.library)
    let empty = library.catalogue.emptySelection()
    let selection: GrantEdit.SelectionChange =
      entry.adding.map { entry.replaces ? .replace(kept(entry, $0, in: library)) : .edit(adding: $0, removing: empty) }
      ?? .none
    if entry.settings.isEmpty, let grant = broker.grants[entry.key] {
      let edit = GrantEdit(
        decider: caller.decider(in: library, source: source), action: "select", selection: selection,
        change: entry.setLive,
        completion: completion)
      edit.mayRestate = true
      return AdminGrants.PlannedEdit(edit: edit, grant: grant, library: library)
    }
    return try numbered(index) { () throws(BrokerError) in
      try caller.grants.plan(
        entry.settings, selection: selection, setLive: entry.setLive, of: entry.key, source: source,
        completion: completion)
    }
  }

  /// The selection after a replacing entry. It also holds assets that the app added itself and
  /// still has selected (R43), so that applying a file twice changes nothing the second time.
  private func kept(_ entry: GrantEntry, _ adding: Selection, in library: LibraryState) -> Selection {
    guard let grant = broker.grants[entry.key] else { return adding }
    let (catalogue, live) = (library.catalogue, grant.record.live)
    let out = LiveSelection.agree(live, entry.live) ? catalogue.selection(of: live?.excluded ?? []) : nil
    let kept = catalogue.union(adding, library.selections.own(of: grant))
    return out.map { catalogue.difference(kept, $0) } ?? kept
  }

  private func takeUp(_ ruleChanges: [StoreChange]) {
    var libraries: Set<LibraryName> = []
    for case .putRule(let rule) in ruleChanges {
      broker.rules.put(rule)
      libraries.insert(rule.library)
    }
    for library in libraries.sorted() { broker.ruleEngine.rulesChanged(in: library) }
  }

  private func finish(
    _ outcomes: [GrantOutcome], _ before: [GrantView?], _ ruleChanges: [StoreChange],
    _ completion: @escaping Completion<([EntryOutcome], Receipt)>
  ) {
    let narrowed = outcomes.filter(\.narrowed)
    let effect = narrowed.reduce(NarrowingEffect()) { $0 + $1.effect }
    var decisions = outcomes.compactMap(\.decision)
    for case .decide(_, _, let number) in ruleChanges { decisions += [number?.value].compactMap { $0 } }
    broker.receipt(for: narrowed.map(\.grant.record.key), effect: effect, decisions: decisions.sorted()) {
      [self] receipt in
      var entries: [EntryOutcome] = []
      for (outcome, before) in zip(outcomes, before) {
        guard let after = caller.view(outcome.grant), let library = broker.libraries[outcome.grant.record.key.library]
        else {
          return completion(.failure(.grantGone()))
        }
        entries.append(
          EntryOutcome(
            before: before, after: after, added: library.catalogue.numbers(in: outcome.added),
            removed: library.catalogue.numbers(in: outcome.removed)))
      }
      completion(.success((entries, receipt)))
    }
  }

  private func preview(_ entry: GrantEntry, _ before: GrantView?, at index: Int) throws(BrokerError) -> EntryOutcome {
    let library = try caller.library(entry.key.library)
    let app = try caller.app(entry.key.app, for: library)
    let grant = broker.grants[entry.key] ?? broker.undecided(entry.key, library)
    let catalogue = library.catalogue
    let hasEnded = grant.hasEnded(broker.environment)
    var record = grant.record
    var settings = entry.settings
    settings.defaults = library.record.defaultTerms
    settings.apply(
      to: &record, by: caller.decider(in: library).role, accessor: record.accessor, hasEnded: hasEnded)
    entry.setLive(&record)
    if !caller.decides(in: library) {
      try numbered(index) { () throws(BrokerError) in
        try caller.grants.checkNarrows(grant, entry.settings, accessor: record.accessor, hasEnded: hasEnded)
      }
      record = grant.record.narrowed(to: record)
    }
    var (added, removed): ([AssetNumber], [AssetNumber]) = ([], [])
    if entry.settings.status == .notDetermined {
      removed = catalogue.numbers(in: grant.planned)
    } else {
      let chosen = entry.adding ?? catalogue.emptySelection()
      let adding = catalogue.union(chosen, library.selections.joining(from: grant.record, to: record))
      added = library.assets.selectable(catalogue.difference(adding, grant.planned))
      if entry.replaces, entry.adding != nil {
        removed = catalogue.numbers(in: catalogue.difference(grant.planned, kept(entry, chosen, in: library)))
      }
    }
    let chosen = catalogue.difference(
      catalogue.union(grant.planned, catalogue.selection(of: added)), catalogue.selection(of: removed))
    let then = GrantState(record: record, selection: chosen)
    let after = GrantView(
      record: record, status: record.status, app: app.record,
      selected: record.status == .limited ? catalogue.count(of: chosen) : 0,
      visible: broker.view(of: then).map { catalogue.count(in: $0) } ?? 0,
      allowance: broker.allowances.allowance(of: then, in: library),
      showsConditions: caller.sees(library), albumTitle: record.live?.album.flatMap { library.albums[$0]?.title },
      isResting: !library.isOffered(to: app.record.uid))
    return EntryOutcome(before: before, after: after, added: added, removed: removed)
  }
}
