package import Catalogue
import PhotoModel

package struct MarkOutcome: Sendable {
  /// Number of assets changed.
  package let changed: Int
  /// Numbers of the decisions recorded.
  package let decisions: [UInt64]
}

extension AdminSession {
  /// Sets or clears marks of assets, and records a decision; nil keeps a mark.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func mark(
    library name: LibraryName, _ assets: Selection, favourite: Bool?, hidden: Bool?, neverShare: Bool?,
    completion: @escaping (Result<MarkOutcome, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try ownedLibrary(name)
      let decider = decider(in: library)
      let deciding = { [broker] (tally: MarkTally) in
        DecisionRecord(
          time: broker.environment.now, by: decider, action: "mark", library: name, before: tally.before,
          after: tally.after)
      }
      let number = DecisionNumber()
      library.mark(
        assets, favourite: favourite, hidden: hidden, neverShare: neverShare, deciding: deciding, number: number,
        narrowing: { [broker] in broker.narrowingMark() }
      ) { result in
        completion(result.map { MarkOutcome(changed: $0, decisions: [number.value].compactMap { $0 }) })
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Restores marks as they were before a decision, on missing assets too. Assets that were deleted
  /// are skipped.
  func undo(
    _ kept: KeptDecision, _ change: MarkChange, in library: LibraryState,
    _ completion: @escaping (Result<UndoOutcome, BrokerError>) -> Void
  ) throws(BrokerError) {
    let edits = [
      MarkEdit(try numbers(change.hidden), .hidden, wasSet: true),
      MarkEdit(try numbers(change.shown), .hidden, wasSet: false),
      MarkEdit(try numbers(change.neverShared), .neverShare, wasSet: true),
      MarkEdit(try numbers(change.shareable), .neverShare, wasSet: false),
      MarkEdit(try numbers(change.favourites), .favourite, wasSet: true),
      MarkEdit(try numbers(change.others), .favourite, wasSet: false),
    ]
    let isUnmoved = edits.allSatisfy { edit in
      edit.numbers.allSatisfy {
        library.catalogue.row(of: $0).map { $0.flags.contains(edit.flag) == edit.wasSet } ?? true
      }
    }
    try kept.require(unmoved: isUnmoved ? [] : [Reason(.marksMoved, "marks of these assets were changed")])
    let (decider, name) = (decider(in: library, source: .undo), library.record.name)
    let deciding = { [broker] (tally: MarkTally) in
      DecisionRecord(
        time: broker.environment.now, by: decider, action: "undo", library: name, before: tally.before,
        after: tally.after,
        undoes: kept.number)
    }
    let all = edits.reduce(into: Set<AssetNumber>()) { $0.formUnion($1.numbers) }
    let isAboutFavourites = edits.contains { $0.flag == .favourite && !$0.numbers.isEmpty }
    let entered = DecisionNumber()
    library.mark(
      all.sorted { $0.rawValue < $1.rawValue }, edited: isAboutFavourites ? .favourite : [], deciding: deciding,
      number: entered,
      narrowing: { [broker] in broker.narrowingMark() }
    ) { asset, flags in
      for edit in edits where edit.numbers.contains(asset) {
        if edit.wasSet { flags.remove(edit.flag) } else { flags.insert(edit.flag) }
      }
    } completion: { result in
      completion(result.map { _ in UndoOutcome(entered) })
    }
  }

  private func numbers(_ chunks: [SelectionChunk]) throws(BrokerError) -> Set<AssetNumber> {
    do { return Set(try AssetNumbers(decoding: chunks).members) } catch { throw .decisionDamaged() }
  }

  private struct MarkEdit {
    let numbers: Set<AssetNumber>
    let flag: AssetFlags
    let wasSet: Bool

    init(_ numbers: Set<AssetNumber>, _ flag: AssetFlags, wasSet: Bool) {
      (self.numbers, self.flag, self.wasSet) = (numbers, flag, wasSet)
    }
  }
}
