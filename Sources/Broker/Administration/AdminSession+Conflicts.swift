package import Catalogue
import PhotoModel

/// What deciding between edits and files came to.
package struct ResolveOutcome: Sendable {
  /// How many conflicts ended.
  package let resolved: Int
  /// What was entered among the decisions.
  package let decisions: [UInt64]
}

/// Some of a library's conflicts, and how many there are.
package struct OpenConflictPage: Sendable {
  package let conflicts: [OpenConflict]
  package let total: Int
}

extension AdminSession {
  /// Some of the conflicts that the owner has yet to decide, newest asset first, and how many there are.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func conflicts(
    of name: LibraryName, skip: Int, limit: Int, completion: @escaping (Result<OpenConflictPage, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try seenLibrary(name)
      let all = library.openConflicts
      let page = all.dropFirst(max(0, skip)).prefix(limit)
      let captioned = page.filter { $0.conflict.fields.contains(.caption) }.map(\.row.number)
      library.readCaptions(of: captioned) { [self] result in
        completion(
          result.flatMap { captions in
            // Who may see may have lost that meanwhile.
            Result { () throws(BrokerError) in _ = try seenLibrary(name) }.map {
              OpenConflictPage(conflicts: page.map { library.open($0.row, $0.conflict, captions) }, total: all.count)
            }
          })
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Decides between edits and what files say against them. That is a decision, on record and to be undone like others.
  /// - Parameter isMeant: whether a conflict, as it is when it would end, is one of those; others are passed over.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func resolveConflicts(
    of name: LibraryName, _ assets: [AssetNumber], keepingFile: Bool,
    isMeant: @escaping (OpenConflict) -> Bool = { _ in true },
    completion: @escaping (Result<ResolveOutcome, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try ownedLibrary(name)
      let decider = decider(in: library)
      let number = DecisionNumber()
      let captioned = Set(assets).filter { library.conflicts[$0]?.fields.contains(.caption) ?? false }
      library.readCaptions(of: Array(captioned)) { [self] result in
        guard let captions = result.value(failing: completion) else { return }
        library.resolve(
          assets, keepingFile: keepingFile, captions: captions, isMeant: isMeant,
          decided: { [self] in decided($0, "resolve", by: decider, name, number) }
        ) { result in
          completion(result.map { ResolveOutcome(resolved: $0, decisions: [number.value].compactMap { $0 }) })
        }
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Opens conflicts again, with the edits that held; or ends those again that an undo had opened.
  /// Photos whose files are away are as before when they come again; those that are gone for good
  /// are left out.
  func undo(
    _ kept: KeptDecision, _ change: ConflictChange, in library: LibraryState,
    _ completion: @escaping (Result<UndoOutcome, BrokerError>) -> Void
  ) throws(BrokerError) {
    try kept.require(unmoved: [])
    let (decider, name) = (decider(in: library, source: .undo), library.record.name)
    let entered = DecisionNumber()
    let moved = BrokerError.movedOn(kept.number, [Reason(.photosMoved, "these photos or their files were changed")])
    let keep = { [self] (change: ConflictChange) in
      decided(change, "undo", by: decider, name, entered, undoing: kept.number)
    }
    library.readCaptions(of: change.captioned) { [self] result in
      guard let captions = result.value(failing: completion) else { return }
      away(change.items.map(\.asset).filter(library.away.contains), of: library) { result in
        guard let away = result.value(failing: completion) else { return }
        let done = { (result: Result<Void, BrokerError>) in completion(result.map { UndoOutcome(entered) }) }
        guard change.areOpened else {
          return library.reopen(change, captions: captions, away: away, moved: moved, decided: keep, completion: done)
        }
        library.resolve(
          change.items.map(\.asset), keepingFile: change.isOfFiles, captions: captions, away: away,
          check: { (ended) throws(BrokerError) in
            let left = change.items.filter {
              library.catalogue.row(of: $0.asset) != nil || library.kept($0.asset, among: away) != nil
            }
            guard ended.items == left, library.isWhole(change, away) else { throw moved }
          }, decided: keep
        ) {
          done($0.map { _ in })
        }
      }
    }
  }

  /// What is kept with conflicts that end, or are opened again.
  private func decided(
    _ change: ConflictChange, _ action: String, by decider: Decider, _ name: LibraryName, _ number: DecisionNumber,
    undoing earlier: UInt64? = nil
  ) -> [StoreChange] {
    let open = "\(change.items.count) in conflict"
    let ended = "\(change.items.count) " + (change.isOfFiles ? "taken from files" : "edits kept")
    let decision = DecisionRecord(
      time: broker.environment.now, by: decider, action: action, library: name, before: change.areOpened ? ended : open,
      after: change.areOpened ? open : ended, undoes: earlier)
    return [.decide(decision, change: .conflicts(change), number: number)]
  }

  /// What is kept of some assets that are away, one after the other; nil of those that are gone for good.
  private func away(
    _ assets: [AssetNumber], of library: LibraryState,
    _ completion: @escaping (Result<[AssetNumber: AwayAsset?], BrokerError>) -> Void
  ) {
    let (store, name) = (broker.store, library.record.name)
    // All steps share these: handed on from one to the next, they would be copied whole at each.
    var rest = assets
    var found: [AssetNumber: AwayAsset?] = [:]
    func readNext() {
      guard let asset = rest.popLast() else { return completion(.success(found)) }
      let carried = Confined { (result: Result<AwayAsset?, StoreFailure>) in
        switch result {
        case .failure(let failure): completion(.failure(.failed(failure)))
        case .success(let kept):
          found.updateValue(kept, forKey: asset)
          readNext()
        }
      }
      store.awayAsset(asset, of: name) { carried.value($0) }
    }
    readNext()
  }
}

extension Result where Failure == BrokerError {
  /// The value; nil once somebody else was told of the failure.
  fileprivate func value<Other>(failing completion: (Result<Other, BrokerError>) -> Void) -> Success? {
    switch self {
    case .success(let value): return value
    case .failure(let error):
      completion(.failure(error))
      return nil
    }
  }
}
