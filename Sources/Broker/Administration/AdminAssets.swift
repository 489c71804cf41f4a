package import Catalogue
import PhotoModel

/// The facts of the assets of the caller's libraries.
package struct AdminAssets: AdminPart {
  let caller: AdminSession

  /// Undoes an app's change of an asset: restores edited fields, trashes an added asset, or restores
  /// a deleted one.
  func undo(
    _ kept: KeptDecision, _ asset: ValueChange<AssetValues?>, in library: LibraryState,
    _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    guard let number = asset.latest()?.asset else { throw .decisionDamaged() }
    let decider = caller.decider(in: library, source: .undo)
    let entered = DecisionNumber()
    let answer = { (result: Result<Void, BrokerError>) in completion(result.map { UndoOutcome(entered) }) }
    guard let after = asset.after else {
      return try restore(kept, asset, number, decider, in: library, entered, answer)
    }
    let change = { (delegate: (any BrokerDelegate)?) in
      self.change(number, in: library) {
        decider.decide(.undone, $0, $1, of: kept.record.app, in: library, undoing: kept.number, number: entered)
      } completion: { result in
        if asset.before == nil { delegate?.moveToTrash(in: library) }
        answer(result)
      } _: { (present) throws(BrokerError) in
        guard let present else { throw .movedOn(kept.number, [Reason(.photoGone, "the photo is gone")]) }
        let changed = ValueChange(asset.before ?? present, after)
        try kept.require(unmoved: asset.before == nil ? after.differences(present) : changed.moved(present))
        return asset.before == nil ? nil : changed.setBack(present)
      }
    }
    guard asset.before == nil, let delegate = broker.delegate else { return change(nil) }
    delegate.checkDeletions(in: library) { result in
      if case .failure(let error) = result { answer(.failure(error)) } else { change(delegate) }
    }
  }

  /// Sets facts of an asset. Completes with the decision, which is missing if nothing changed.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `refused` for the caption, `failed`.
  package func edit(
    _ number: AssetNumber, of name: LibraryName, _ edit: AssetEdit, completion: @escaping Completion<[UInt64]>
  ) {
    let library: LibraryState
    do throws(BrokerError) {
      library = try caller.ownedLibrary(name)
      try edit.check()
    } catch { return completion(.failure(error)) }
    let decider = caller.decider(in: library)
    let entered = DecisionNumber()
    change(number, in: library) {
      decider.decide(.edited, $0, $1, in: library, number: entered)
    } completion: { result in
      completion(result.map { entered.value.map { [$0] } ?? [] })
    } _: { (present) throws(BrokerError) in
      guard var values = present else { throw .notFound("asset", "The photo is gone.") }
      edit.set(&values)
      return values
    }
  }

  /// Changes an asset's facts after a look at its stored caption.
  private func change(
    _ number: AssetNumber, in library: LibraryState,
    keeping: @escaping (ValueChange<AssetValues?>, AssetRow) -> StoreChange,
    completion: @escaping Completion<Void>,
    _ change: @escaping (AssetValues?) throws(BrokerError) -> AssetValues?
  ) {
    library.readCaptions(of: [number]) { captions in
      captions.orFail(completion) { captions in
        library.assetEditor.change(
          number, caption: captions[number], keeping: keeping, completion: completion, change)
      }
    }
  }

  /// Gives assets the values of their files again, for all edited fields. The next scan reads the
  /// files. Completes with the number of assets that it read, and their decisions.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func reset(_ numbers: Set<AssetNumber>, of name: LibraryName, completion: @escaping Completion<MarkOutcome>) {
    let library: LibraryState
    do throws(BrokerError) { library = try caller.ownedLibrary(name) } catch { return completion(.failure(error)) }
    let decider = caller.decider(in: library)
    var entered: [DecisionNumber] = []
    let gathered = CompletionGroup<Bool>(count: numbers.count) { result in
      completion(
        result.map { read in
          MarkOutcome(changed: read.count { $0 }, decisions: entered.compactMap(\.value).sorted())
        })
    }
    broker.store.commit(numbers.map { .reread(name, $0) }) { [broker] failure in
      if let failure { return completion(.failure(.failed(failure))) }
      for asset in numbers {
        let number = DecisionNumber()
        entered.append(number)
        library.scan.resets.removeValue(forKey: asset)?.finish(false)
        library.scan.resets[asset] = AssetReset {
          decider.decide(.reset, $0.withoutKeptCaption, $1, in: library, number: number)
        } finish: {
          gathered.take(.success($0))
        }
      }
      broker.delegate?.filesReleased(in: name)
    }
  }

  private func restore(
    _ kept: KeptDecision, _ asset: ValueChange<AssetValues?>, _ number: AssetNumber, _ decider: Decider,
    in library: LibraryState, _ entered: DecisionNumber, _ answer: @escaping Completion<Void>
  ) throws(BrokerError) {
    guard let row = library.catalogue.row(of: number) else {
      throw .movedOn(kept.number, [Reason(.photoGone, "the photo is gone")])
    }
    try kept.require(
      unmoved: row.flags.contains(.trashed) ? [] : [Reason(.photoBack, "the photo is there again")])
    let decision = decider.decide(
      .undone, ValueChange(nil, asset.before), row, of: kept.record.app, in: library, undoing: kept.number,
      number: entered)
    broker.delegate?.restore(number, in: library, keeping: [decision]) { result in
      answer(
        result.flatMap { count in
          count > 0 ? .success(()) : .failure(.movedOn(kept.number, [Reason(.photoGone, "the photo is gone")]))
        })
    }
  }
}

extension AssetValues {
  /// The fields that the present facts have otherwise.
  fileprivate func differences(_ present: Self) -> [Reason] {
    var present = present
    if caption == nil { present.caption = nil }
    let change = ValueChange(self, present)
    return Self.fields.filter { $0.isSet(change, change) }.map { $0.reason(present) }
  }
}
