import Limits
import PhotoModel

/// Undo of decisions about a library as a whole, and about the broker.
extension AdminDecisions {
  /// Restores a library's settings. Users whom the decision added are removed, and those whom it
  /// removed are added; later changes of other users stay.
  func undo(
    _ kept: KeptDecision, _ rights: ValueChange<LibraryRights>, in library: LibraryState,
    _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    try kept.require(unmoved: rights.moved(library.configuration.planned.rights))
    let answer = { (result: Result<Receipt, BrokerError>) in completion(result.map { UndoOutcome(receipt: $0) }) }
    try caller.rights.decide(LibraryAspect(of: rights), in: library, undoing: kept.number, answer) {
      $0 = rights.setBack($0)
    }
  }

  /// Restores a rule. Grants that the rule gave in between stay, as after any edit of rules.
  func undo(
    _ kept: KeptDecision, from after: RuleRecord?, to before: RuleRecord?, in library: LibraryState,
    _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    guard let name = before?.name ?? after?.name else {
      throw .movedOn(kept.number, [Reason(.ruleGone, "the rule is gone")])
    }
    let libraryName = library.record.name
    let present = broker.rules.rules(of: libraryName)
    let isUnmoved = present.first { $0.name == name } == after
    try kept.require(unmoved: isUnmoved ? [] : [Reason(.ruleEdited, "the rule \(name) was edited", ["rule": name])])
    guard before == nil || after != nil || present.count < BrokerLimits.rulesPerLibrary else { throw .tooManyRules() }
    let decision = DecisionRecord(
      time: broker.environment.now, by: caller.decider(in: library, source: .undo), action: "undo",
      library: libraryName,
      before: after?.summary ?? "", after: before?.summary ?? "", undoes: kept.number)
    broker.rules.remove(name, of: libraryName)
    let change: StoreChange = if let before { .putRule(before) } else { .removeRule(libraryName, name: name) }
    let entered = DecisionNumber()
    let changes = [
      change, .decide(decision, change: DecisionChange(.rule(ValueChange(after, before))), number: entered),
      broker.narrowingMark(),
    ]
    broker.store.commit(changes) { [broker] failure in
      if let failure { return completion(.failure(.notKept(failure, narrowed: after != nil))) }
      if let before {
        broker.rules.put(before)
        broker.ruleEngine.rulesChanged(in: libraryName)
      }
      completion(.success(UndoOutcome(entered)))
    }
  }

  /// Removes the administrators whom the decision named, and names again those whom it left out.
  /// Only root may do so, as only root names administrators.
  func undoAdministrators(_ kept: KeptDecision, _ completion: @escaping Completion<UndoOutcome>) throws(BrokerError) {
    guard caller.isAdministrator else { throw .unknownDecision() }
    guard case .administrators(let change) = kept.change?.object else { throw .keptNothing(kept.number, kept.record) }
    try kept.require(unmoved: change.moved(broker.administrators.named))
    let entered = DecisionNumber()
    caller.administrators.set(change.setBack(broker.administrators.named), undoing: kept.number, number: entered) {
      completion($0.map { UndoOutcome(entered) })
    }
  }
}
