package import Catalogue

/// An edit of one grant's selection, worked out and not yet in force.
package struct SelectionEdit {
  package let added: Selection
  package let removed: Selection
  /// What must become durable for the edit to hold.
  package let changes: [StoreChange]
  let records: [ChangeRecord]
}

extension LibraryState {
  /// Plans an edit: `removing` wins over `adding`; what is there already is not added again, and
  /// assets that are not in the library, or never to be shared, are not added, unless they are put
  /// back.
  ///
  /// The plan is noted at once, so that edits that follow build on it. Give `changes` to the store
  /// in the same turn.
  /// - Parameter puttingBack: of `adding`, what was selected before: it is again, also what no app
  ///   sees now, which stays in a selection as well while it is never to be shared or in the trash.
  /// - Parameter isNews: false where a view of another kind begins with this edit: nobody has to be
  ///   told asset by asset.
  package func selectionEdit(
    of grant: GrantState, adding: Selection, removing: Selection, puttingBack: Selection, isNews: Bool = true
  ) -> SelectionEdit {
    // Held once: each look at the library's own would count the references of all its columns.
    let catalogue = catalogue
    let wanted = catalogue.difference(catalogue.difference(adding, removing), grant.planned)
    let offered = selectable(wanted)
    let back = catalogue.subset(of: catalogue.intersection(wanted, puttingBack), without: [])
    let added = catalogue.union(catalogue.selection(of: offered), back)
    let removed = catalogue.intersection(removing, grant.planned)
    grant.planned = catalogue.difference(catalogue.union(grant.planned, added), removed)
    let moves =
      catalogue.numbers(in: removed).map { ($0, ChangeRecord.Kind.unselected) } + offered.map { ($0, .selected) }
    let records = (isNews ? moves : []).compactMap { number, kind in
      catalogue.position(of: number).map {
        log.makeRecord(kind, asset: (number, catalogue.identifier($0)), grant: grant.record.key)
      }
    }
    var changes = selectionChanges(of: grant, touching: moves.map(\.0) + catalogue.numbers(in: back))
    if !records.isEmpty { changes.append(.appendChanges(record.name, records)) }
    return SelectionEdit(added: added, removed: removed, changes: changes, records: records)
  }

  /// Those that an owner can select: never-share and trashed ones are not offered (R13), and what
  /// another library shares into this one is never part of a selection (R45).
  func selectable(_ wanted: Selection) -> [AssetNumber] {
    catalogue.numbers(in: catalogue.subset(of: wanted, without: [.neverShare, .trashed, .cloudShared]))
  }

  /// What must be written of a grant's planned selection after these assets joined or left it.
  func selectionChanges(of grant: GrantState, touching numbers: [AssetNumber]) -> [StoreChange] {
    let chunks = Set(numbers.map(\.chunk)).sorted()
    if grant.isSelectionUnsaved {
      return [
        .removeSelection(grant.record.key),
        .putSelection(
          grant.record.key, chunks: catalogue.encode(grant.planned, and: grant.away).map { ($0.index, $0.bytes) }),
      ]
    }
    guard !chunks.isEmpty else { return [] }
    return [.putSelection(grant.record.key, chunks: chunks.map { ($0, storedChunk($0, of: grant)) })]
  }

  /// Takes away what the edit takes away. Call at once, before the commit: a narrowing never waits.
  package func applyNarrowing(_ edit: SelectionEdit, to grant: GrantState) {
    grant.selection = catalogue.difference(grant.selection, edit.removed)
  }

  /// Adds what the edit adds and tells observers. Call after the commit; what a later edit took away stays away.
  package func applyWidening(_ edit: SelectionEdit, to grant: GrantState) {
    grant.selection = catalogue.union(grant.selection, catalogue.intersection(edit.added, grant.planned))
    if let held = grant.held { grant.selection = catalogue.difference(grant.selection, held) }
    grant.isSelectionUnsaved = false
    append(edit.records)
  }

  /// The commit failed: what was taken away stays away until the next start, what was to be added is not.
  package func abandon(_ edit: SelectionEdit, of grant: GrantState) {
    grant.planned = catalogue.difference(grant.planned, edit.added)
    grant.isSelectionUnsaved = true
    append(edit.records)
  }
}
