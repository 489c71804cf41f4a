import Catalogue
import PhotoModel

extension LibraryState {
  /// Has assets that an app adds join its selection (R43, R44), in the commit that brings them into
  /// the library: there is no moment, not even a crash, at which the one is there without the
  /// other. Answers what is to be done once that is kept and they are in the catalogue.
  /// - Parameter isReturn: They were in the selection before their files went (``AwayAsset``): they
  ///   join unless somebody took them out by the time that they are back.
  func join(_ rows: [AssetRow], to grant: GrantState, in plan: inout Plan, return isReturn: Bool = false) -> () -> Void
  {
    let key = grant.record.key
    let rows = rows.filter {
      isReturn
        || $0.flags.isDisjoint(with: [.neverShare, .trashed, .cloudShared])
          && !catalogue.contains($0.number, in: grant.planned)
    }
    guard !rows.isEmpty else { return {} }
    if grant.record.status == .limited {
      for row in rows {
        plan.records.append(log.makeRecord(.selected, asset: (row.number, row.identifier), grant: key))
      }
    }
    let numbers = rows.map(\.number)
    let chunks = Set(numbers.map(\.chunk)).sorted()
    // One of which the disk does not have all is written whole, afterwards.
    let isUnsaved = grant.isSelectionUnsaved
    let written = chunks.map { storedChunk($0, of: grant, with: numbers) }
    if !isUnsaved { plan.changes.append(.putSelection(key, chunks: Array(zip(chunks, written)))) }
    return { [self] in
      guard !grant.isRemoved, grant.record.status != .notDetermined else { return }
      let added = catalogue.selection(of: isReturn ? numbers.filter(grant.away.contains) : numbers)
      for number in numbers { grant.away.remove(number) }
      grant.planned = catalogue.union(grant.planned, added)
      grant.selection = catalogue.union(grant.selection, added)
      if let held = grant.held { grant.selection = catalogue.difference(grant.selection, held) }
      // Edits that were given to the disk meanwhile knew nothing of these, and wrote over them.
      guard isUnsaved || chunks.map({ storedChunk($0, of: grant) }) != written else { return }
      store.keep(selectionChanges(of: grant, touching: numbers)) { grant.isSelectionUnsaved = $0 != nil }
    }
  }

  /// Has assets join that an app added while the first decision on reading was on its way to the
  /// disk: neither of the two knew of the other (R43).
  func joinLate(_ numbers: [AssetNumber], to grant: GrantState) {
    guard !numbers.isEmpty else { return }
    enqueue { [self] () -> Plan in
      var plan = Plan()
      // Who forgot the decision meanwhile forgot the selection with it, and nothing of it may be left on the disk.
      guard !grant.isRemoved, grant.record.status != .notDetermined else { return plan }
      let rows = numbers.compactMap(catalogue.row(of:))
      plan.apply = join(rows, to: grant, in: &plan)
      return plan
    } completion: { _ in
    }
  }
}
