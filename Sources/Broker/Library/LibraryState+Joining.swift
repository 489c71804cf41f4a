import Catalogue
import PhotoModel

extension LibraryState {
  /// Adds assets to an app's selection in the commit that adds them to the library (R43, R44), so
  /// that even a crash cannot separate the two. Returns the work to do after the commit and after
  /// the assets are in the catalogue.
  func join(_ rows: [AssetRow], to grant: GrantState, in plan: inout ContentPlan) -> () -> Void {
    let key = grant.record.key
    let rows = rows.filter {
      $0.flags.isDisjoint(with: [.neverShare, .trashed, .missing, .cloudShared])
        && !catalogue.contains($0.number, in: grant.planned)
    }
    guard !rows.isEmpty else { return {} }
    if grant.record.status == .limited {
      for row in rows {
        plan.records.append(changes.log.makeRecord(.selected, asset: (row.number, row.identifier), grant: key))
      }
    }
    let numbers = rows.map(\.number)
    let chunks = Set(numbers.map(\.chunk)).sorted()
    // A selection with a failed commit is written as a whole afterwards.
    let isUnsaved = grant.isSelectionUnsaved
    let written = chunks.map { catalogue.encode(grant.planned, chunk: $0, with: numbers) ?? [] }
    if !isUnsaved { plan.changes.append(.putSelection(key, chunks: Array(zip(chunks, written)))) }
    return { [self] in
      guard !grant.isRemoved, grant.record.status != .notDetermined else { return }
      let added = catalogue.selection(of: numbers)
      grant.planned = catalogue.union(grant.planned, added)
      grant.selection = catalogue.union(grant.selection, added)
      if let held = grant.held { grant.selection = catalogue.difference(grant.selection, held) }
      // Edits that were committed meanwhile overwrote these chunks.
      guard isUnsaved || chunks.map({ catalogue.encode(grant.planned, chunk: $0) ?? [] }) != written else { return }
      store.keep(selectionChanges(of: grant, touching: numbers)) { grant.isSelectionUnsaved = $0 != nil }
    }
  }

  /// Adds assets that an app added while its first read-write decision was being committed: neither
  /// commit knew of the other (R43).
  func joinLate(_ numbers: [AssetNumber], to grant: GrantState) {
    guard !numbers.isEmpty else { return }
    content.enqueue { [self] () -> ContentPlan in
      var plan = ContentPlan()
      // The decision was forgotten meanwhile, and its selection with it.
      guard !grant.isRemoved, grant.record.status != .notDetermined else { return plan }
      let rows = numbers.compactMap(catalogue.row(of:))
      plan.apply = join(rows, to: grant, in: &plan)
      return plan
    } completion: { _ in
    }
  }
}
