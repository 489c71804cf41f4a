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
  /// Plans an edit: `removing` wins over `adding`; what is there already is not added again, and assets that are not in
  /// the library, or never to be shared, are not added.
  ///
  /// The plan is noted at once, so that edits that follow build on it. Give `changes` to the store in the same turn.
  package func selectionEdit(of grant: GrantState, adding: Selection, removing: Selection) -> SelectionEdit {
    var added = Selection()
    for number in adding.subtracting(removing).subtracting(grant.planned) {
      if let flags = catalogue.flags(of: number), flags.isDisjoint(with: [.neverShare, .trashed]) { added.insert(number) }
    }
    let removed = removing.intersection(grant.planned)
    let before = grant.planned
    grant.planned = before.union(added).subtracting(removed)
    let records = (removed.map { ($0, ChangeRecord.Kind.unselected) } + added.map { ($0, .selected) }).map { number, kind in
      log.makeRecord(
        kind, asset: (number, catalogue.identifier(of: number) ?? .init(high: 0, low: 0)), grant: grant.record.key)
    }
    let touched = Set(added.map(\.chunk)).union(removed.map(\.chunk)).sorted()
    let encoded = Dictionary(grant.planned.encode().map { ($0.index, $0.bytes) }, uniquingKeysWith: { $1 })
    var changes: [StoreChange] = []
    if !touched.isEmpty {
      changes.append(.putSelection(grant.record.key, chunks: touched.map { ($0, encoded[$0] ?? []) }))
    }
    changes += records.map { .appendChange(record.name, $0) }
    return SelectionEdit(added: added, removed: removed, changes: changes, records: records)
  }

  /// Takes away what the edit takes away. Call at once, before the commit: a narrowing never waits.
  package func applyNarrowing(_ edit: SelectionEdit, to grant: GrantState) {
    grant.selection = grant.selection.subtracting(edit.removed)
  }

  /// Adds what the edit adds and tells observers. Call after the commit; what a later edit took away stays away.
  package func applyWidening(_ edit: SelectionEdit, to grant: GrantState) {
    grant.selection = grant.selection.union(edit.added.intersection(grant.planned))
    append(edit.records)
  }

  /// The commit failed: what was taken away stays away until the next start, what was to be added is not.
  package func abandon(_ edit: SelectionEdit, of grant: GrantState) {
    grant.planned = grant.planned.subtracting(edit.added)
    append(edit.records)
  }
}
