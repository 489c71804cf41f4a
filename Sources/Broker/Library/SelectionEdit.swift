package import Catalogue

/// A planned edit of one grant's selection, not in force yet.
package struct SelectionEdit {
  package let added: Selection
  package let removed: Selection
  /// The changes to commit.
  package let changes: [StoreChange]
  let records: [ChangeRecord]
}

extension LibraryState {
  /// Plans an edit; `removing` wins over `adding`. Assets that are selected already, absent or
  /// never-shared are not added, except those of `puttingBack`.
  ///
  /// The plan counts at once for later edits. Give `changes` to the store in the same turn.
  /// - Parameter puttingBack: the part of `adding` that was selected before. It is selected again
  ///   even if it is trashed, missing or never-shared, and so invisible.
  /// - Parameter isNews: false if a new view begins with this edit, so that no single changes are
  ///   logged.
  package func selectionEdit(
    of grant: GrantState, adding: Selection, removing: Selection, puttingBack: Selection, isNews: Bool = true
  ) -> SelectionEdit {
    // One copy: each access to the library's property would retain all columns.
    let catalogue = catalogue
    let wanted = catalogue.difference(catalogue.difference(adding, removing), grant.planned)
    let added = catalogue.union(
      catalogue.selection(of: assets.selectable(wanted)), catalogue.intersection(wanted, puttingBack))
    let removed = catalogue.intersection(removing, grant.planned)
    grant.planned = catalogue.difference(catalogue.union(grant.planned, added), removed)
    // Invisible assets too, because the log must tell which of them were selected at any time.
    let moves =
      catalogue.numbers(in: removed, withMissing: true).map { ($0, ChangeRecord.Kind.unselected) }
      + catalogue.numbers(in: added, withMissing: true).map { ($0, .selected) }
    let records = (isNews ? moves : []).compactMap { number, kind in
      catalogue.position(of: number).map {
        self.changes.log.makeRecord(kind, asset: (number, catalogue.identifier($0)), grant: grant.record.key)
      }
    }
    var changes = selectionChanges(of: grant, touching: moves.map(\.0))
    if !records.isEmpty { changes.append(.appendChanges(record.name, records)) }
    return SelectionEdit(added: added, removed: removed, changes: changes, records: records)
  }

  /// The changes that store a grant's planned selection after these assets joined or left it.
  func selectionChanges(of grant: GrantState, touching numbers: [AssetNumber]) -> [StoreChange] {
    let chunks = Set(numbers.map(\.chunk)).sorted()
    if grant.isSelectionUnsaved {
      return [
        .removeSelection(grant.record.key),
        .putSelection(grant.record.key, chunks: catalogue.encode(grant.planned).map { ($0.index, $0.bytes) }),
      ]
    }
    guard !chunks.isEmpty else { return [] }
    let written = chunks.map { ($0, catalogue.encode(grant.planned, chunk: $0) ?? []) }
    return [.putSelection(grant.record.key, chunks: written)]
  }

  /// Applies the edit's removals. Call it at once, before the commit.
  package func applyNarrowing(_ edit: SelectionEdit, to grant: GrantState) {
    grant.selection = catalogue.difference(grant.selection, edit.removed)
  }

  /// Applies the edit's additions and signals observers. Call it after the commit. Removals by
  /// later edits stay in force.
  package func applyWidening(_ edit: SelectionEdit, to grant: GrantState) {
    grant.selection = catalogue.union(grant.selection, catalogue.intersection(edit.added, grant.planned))
    if let held = grant.held { grant.selection = catalogue.difference(grant.selection, held) }
    grant.isSelectionUnsaved = false
    changes.append(edit.records)
  }

  /// Handles a failed commit: removals stay in force until the next start, additions are dropped.
  package func abandon(_ edit: SelectionEdit, of grant: GrantState) {
    grant.planned = catalogue.difference(grant.planned, edit.added)
    grant.isSelectionUnsaved = true
    changes.append(edit.records)
  }
}
