package import Catalogue
import PhotoModel

package struct MarkOutcome: Sendable {
  /// Number of assets changed.
  package let changed: Int
  /// Numbers of the decisions recorded.
  package let decisions: [UInt64]
}

/// Marks of the assets of the caller's libraries.
package struct AdminMarks: AdminPart {
  let caller: AdminSession

  /// Sets or clears marks of assets, and records a decision; nil keeps a mark.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func set(
    library name: LibraryName, _ assets: Selection, favourite: Bool?, hidden: Bool?, neverShare: Bool?,
    completion: @escaping Completion<MarkOutcome>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let library = try caller.ownedLibrary(name)
      let decider = caller.decider(in: library)
      let deciding = { [broker] (tally: MarkTally) in
        DecisionRecord(
          time: broker.environment.now, by: decider, action: "mark", library: name, before: tally.before,
          after: tally.after)
      }
      let number = DecisionNumber()
      library.marks.set(
        assets, favourite: favourite, hidden: hidden, neverShare: neverShare, deciding: deciding, number: number,
        narrowing: { [broker] in broker.narrowingMark() }
      ) { result in
        completion(result.map { MarkOutcome(changed: $0, decisions: [number.value].compactMap { $0 }) })
      }
    }
  }

  /// Restores marks as they were before a decision, on missing assets too. Assets that were deleted
  /// are skipped.
  func undo(
    _ kept: KeptDecision, in library: LibraryState, _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    var edits: [(mark: AssetFlags, set: AssetNumbers, cleared: AssetNumbers)] = []
    for change in kept.change?.assets ?? [] {
      let numbers = try change.numbers()
      edits.append((change.mark, numbers.added, numbers.removed))
    }
    func isUnmoved(_ numbers: AssetNumbers, _ mark: AssetFlags, wasSet: Bool) -> Bool {
      numbers.members.allSatisfy {
        library.catalogue.row(of: $0).map { $0.flags.contains(mark) == wasSet } ?? true
      }
    }
    let isUnmoved = edits.allSatisfy {
      isUnmoved($0.set, $0.mark, wasSet: true) && isUnmoved($0.cleared, $0.mark, wasSet: false)
    }
    try kept.require(unmoved: isUnmoved ? [] : [Reason(.marksMoved, "marks of these assets were changed")])
    let (decider, name) = (caller.decider(in: library, source: .undo), library.record.name)
    let deciding = { [broker] (tally: MarkTally) in
      DecisionRecord(
        time: broker.environment.now, by: decider, action: "undo", library: name, before: tally.before,
        after: tally.after, undoes: kept.number)
    }
    let all = Set(edits.flatMap { $0.set.members + $0.cleared.members })
    let entered = DecisionNumber()
    library.marks.change(
      all.sorted { $0.rawValue < $1.rawValue }, edited: edits.contains { $0.mark == .favourite } ? .favourite : [],
      deciding: deciding, number: entered, narrowing: { [broker] in broker.narrowingMark() }
    ) { asset, flags in
      for edit in edits {
        if edit.set.contains(asset) { flags.remove(edit.mark) }
        if edit.cleared.contains(asset) { flags.insert(edit.mark) }
      }
    } completion: { result in
      completion(result.map { _ in UndoOutcome(entered) })
    }
  }

  /// Confirms the marks of a library after a restore that could not know them.
  func confirm(
    _ kept: KeptDecision, in library: LibraryState, _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    try kept.require(unmoved: library.marks.areUnknown ? [] : [Reason(.marksConfirmed, "the marks were confirmed")])
    let (name, entered) = (library.record.name, DecisionNumber())
    let decision = DecisionRecord(
      time: broker.environment.now, by: caller.decider(in: library, source: .undo), action: "undo", library: name,
      before: kept.record.after, after: "", undoes: kept.number)
    let changes: [StoreChange] = [
      .putSetting(name: SettingName.unknownMarks + name.description, value: ""), .decide(decision, number: entered),
    ]
    broker.store.commit(changes) { failure in
      if let failure { return completion(.failure(.notKept(failure, narrowed: false))) }
      library.marks.areUnknown = false
      completion(.success(UndoOutcome(entered)))
    }
  }
}
