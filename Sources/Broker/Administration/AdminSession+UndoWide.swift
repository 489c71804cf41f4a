import Limits
import PhotoModel

/// Undo of decisions about a library as a whole, and about the broker.
extension AdminSession {
  /// Restores a library's settings. Users whom the decision added are removed, and those whom it
  /// removed are added; later changes of other users stay.
  func undo(
    _ kept: KeptDecision, from after: LibraryRights, to before: LibraryRights, in library: LibraryState,
    _ completion: @escaping (Result<UndoOutcome, BrokerError>) -> Void
  ) throws(BrokerError) {
    let now = LibraryRights(library.planned)
    var moved: [Reason] = []
    if !Self.isUnmoved(now.offeredTo, from: after.offeredTo, to: before.offeredTo) {
      moved.append(Reason(.offerMoved, "it was offered to others"))
    }
    if !Self.isUnmoved(now.coOwners, from: after.coOwners, to: before.coOwners) {
      moved.append(Reason(.ownersMoved, "its owners are others"))
    }
    if before.administratorsSee != after.administratorsSee, now.administratorsSee != after.administratorsSee {
      moved.append(Reason(.seeingMoved, "what administrators see was decided again"))
    }
    if before.administratorsDecide != after.administratorsDecide, now.administratorsDecide != after.administratorsDecide
    {
      moved.append(Reason(.decidingMoved, "what administrators decide was decided again"))
    }
    if before.sharesOriginals != after.sharesOriginals, now.sharesOriginals != after.sharesOriginals {
      moved.append(Reason(.originalsMoved, "whether originals are shared was decided again"))
    }
    if before.appsDelete != after.appsDelete, now.appsDelete != after.appsDelete {
      moved.append(Reason(.deletionsMoved, "whether apps delete photos was decided again"))
    }
    try kept.require(unmoved: moved)
    let name = library.record.name
    guard before.sharesOriginals == after.sharesOriginals else {
      let entered = DecisionNumber()
      return shareOriginals(name, before.sharesOriginals, undoing: kept.number, number: entered) {
        completion($0.map { _ in UndoOutcome(entered) })
      }
    }
    guard before.appsDelete == after.appsDelete else {
      let entered = DecisionNumber()
      return allowDeletions(name, before.appsDelete, undoing: kept.number, number: entered) {
        completion($0.map { _ in UndoOutcome(entered) })
      }
    }
    guard before.offeredTo == after.offeredTo else {
      return offer(
        name, to: nil, adding: before.offeredTo.subtracting(after.offeredTo),
        removing: after.offeredTo.subtracting(before.offeredTo),
        undoing: kept.number
      ) { completion($0.map { UndoOutcome(receipt: $0) }) }
    }
    let entered = DecisionNumber()
    delegate(name, Delegation(from: after, to: before), undoing: kept.number, number: entered) {
      completion($0.map { _ in UndoOutcome(entered) })
    }
  }

  /// Restores a rule. Grants that the rule gave in between stay, as after any edit of rules.
  func undo(
    _ kept: KeptDecision, from after: RuleRecord?, to before: RuleRecord?, in library: LibraryState,
    _ completion: @escaping (Result<UndoOutcome, BrokerError>) -> Void
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
      time: broker.environment.now, by: decider(in: library, source: .undo), action: "undo", library: libraryName,
      before: after?.summary ?? "", after: before?.summary ?? "", undoes: kept.number)
    broker.rules.remove(name, of: libraryName)
    let change: StoreChange = if let before { .putRule(before) } else { .removeRule(libraryName, name: name) }
    let entered = DecisionNumber()
    let changes = [
      change, .decide(decision, change: .rule(before: after, after: before), number: entered), broker.narrowingMark(),
    ]
    broker.store.keep(changes) { [broker] failure in
      if let failure { return completion(.failure(.notKept(failure, narrowed: after != nil))) }
      if let before {
        broker.rules.put(before)
        broker.rulesChanged(in: libraryName)
      }
      completion(.success(UndoOutcome(entered)))
    }
  }

  /// Removes the administrators whom the decision named, and names again those whom it left out.
  /// Only root may do so, as only root names administrators.
  func undoAdministrators(
    _ kept: KeptDecision, _ completion: @escaping (Result<UndoOutcome, BrokerError>) -> Void
  ) throws(BrokerError) {
    guard isAdministrator else { throw .unknownDecision() }
    guard case .administrators(let before, let after) = kept.change else {
      throw .keptNothing(kept.number, kept.record)
    }
    let now = broker.namedAdministrators
    let isUnmoved = Self.isUnmoved(now, from: after, to: before)
    try kept.require(unmoved: isUnmoved ? [] : [Reason(.administratorsMoved, "other administrators were named")])
    let entered = DecisionNumber()
    setAdministrators(Self.putBack(now, from: after, to: before), undoing: kept.number, number: entered) {
      completion($0.map { UndoOutcome(entered) })
    }
  }

  private static func isUnmoved(_ now: Set<UInt32>, from after: Set<UInt32>, to before: Set<UInt32>) -> Bool {
    now.isSuperset(of: after.subtracting(before)) && now.isDisjoint(with: before.subtracting(after))
  }

  private static func putBack(_ now: Set<UInt32>, from after: Set<UInt32>, to before: Set<UInt32>) -> Set<UInt32> {
    now.subtracting(after.subtracting(before)).union(before.subtracting(after))
  }
}
