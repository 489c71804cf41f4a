package import Catalogue
import PhotoModel

/// Changes of the marks of one library's assets.
package final class LibraryMarks: LibraryPart {
  /// Whether a restore could not know which assets were hidden or never shared since the backup, and
  /// no owner has confirmed the marks yet. No grant is given meanwhile.
  var areUnknown: Bool
  let core: LibraryCore

  init(_ core: LibraryCore, areUnknown: Bool) {
    self.core = core
    self.areUnknown = areUnknown
  }

  /// Sets or clears marks of assets for the owner; nil keeps a mark. Completes with the number of
  /// changed assets, including those that became missing meanwhile.
  /// - Parameter record: makes the decision to store if a mark changes; `number` receives its
  ///   number.
  package func set(
    _ selection: Selection, favourite: Bool?, hidden: Bool?, neverShare: Bool?,
    deciding record: ((MarkTally) -> DecisionRecord)? = nil, number: DecisionNumber? = nil,
    narrowing: (() -> StoreChange)? = nil,
    completion: @escaping Completion<Int>
  ) {
    let wanted: [(AssetFlags, Bool?)] = [(.favourite, favourite), (.hidden, hidden), (.neverShare, neverShare)]
    change(
      assets.catalogue.numbers(in: selection), edited: favourite == nil ? [] : .favourite, deciding: record,
      number: number,
      narrowing: narrowing
    ) { _, flags in
      for (flag, value) in wanted {
        if value == true { flags.insert(flag) } else if value == false { flags.remove(flag) }
      }
    } completion: {
      completion($0)
    }
  }

  /// Changes flags of assets, missing ones included.
  /// - Parameter narrowing: a setting to store with a change that hides assets from apps. It makes
  ///   the change count as a restriction: the commit succeeds on a full disk, and an older copy of
  ///   the database pauses grants.
  func change(
    _ numbers: [AssetNumber], edited: EditedFields, deciding record: ((MarkTally) -> DecisionRecord)?,
    number: DecisionNumber?, narrowing: (() -> StoreChange)?,
    _ change: @escaping (AssetNumber, inout AssetFlags) -> Void,
    completion: @escaping Completion<Int>
  ) {
    var count = 0
    var rest = numbers[...]
    var plan = ContentPlan()
    plan.expect(numbers.count)
    var tally = MarkTally()
    var isNarrowing = false
    content.enqueue(isOwners: true) { [self] () throws(BrokerError) -> ContentPlan? in
      var rows: [ChangedRow] = []
      for number in rest.prefix(ContentPlan.pieceCount) {
        guard var row = assets.catalogue.row(of: number) else { continue }
        let before = row.flags
        change(number, &row.flags)
        guard row.flags != before else { continue }
        row.modificationDate =
          before.contains(.favourite) == row.flags.contains(.favourite) ? row.modificationDate : environment.now
        row.version &+= 1
        let isTaken = !row.flags.subtracting(before).isDisjoint(with: [.hidden, .neverShare])
        isNarrowing = isNarrowing || isTaken
        tally.note(number, from: before, to: row.flags)
        let kind = ChangeRecord.Kind.of(from: before, to: row.flags) ?? .changed
        rows.append(
          ChangedRow(row: row, isTaken: isTaken, record: changes.log.makeRecord(kind, asset: (number, row.identifier))))
      }
      plan.change(rows, in: assets.library) { _ in edited }
      rest = rest.dropFirst(ContentPlan.pieceCount)
      guard rest.isEmpty else { return nil }
      count = plan.rows.count
      if let narrowing, isNarrowing { plan.changes.append(narrowing()) }
      if let record, !tally.isEmpty {
        plan.changes.append(.decide(record(tally), change: tally.change, number: number))
      }
      plan.didPut = { [self] row in
        assets.noteEdit(of: row.number, edited)
      }
      // Releases the second reference: a plan can be large.
      defer { plan = ContentPlan() }
      return plan
    } completion: { result in
      completion(result.map { count })
    }
  }
}
