package import Catalogue
import PhotoModel

/// Changes of the selections of one library's grants.
package final class LibrarySelections: LibraryPart {
  var drafts = SelectionDrafts()
  let core: LibraryCore
  private var catalogue: Catalogue { assets.catalogue }

  init(_ core: LibraryCore) { self.core = core }

  /// Plans an edit; `removing` wins over `adding`. Assets that are selected already, absent or
  /// never-shared are not added, except those of `puttingBack`.
  ///
  /// The plan counts at once for later edits. Give `changes` to the store in the same turn.
  /// - Parameter puttingBack: the part of `adding` that was selected before. It is selected again
  ///   even if it is trashed, missing or never-shared, and so invisible.
  /// - Parameter isNews: false if a new view begins with this edit, so that no single changes are
  ///   logged.
  package func edit(
    of grant: GrantState, adding: Selection, removing: Selection, puttingBack: Selection, isNews: Bool = true
  ) -> SelectionEdit {
    // One copy: each access to the property would retain all columns.
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
    var changes = changesToStore(of: grant, touching: moves.map(\.0))
    if !records.isEmpty { changes.append(.appendChanges(assets.library, records)) }
    return SelectionEdit(added: added, removed: removed, changes: changes, records: records)
  }

  /// The changes that store a grant's planned selection after these assets joined or left it.
  func changesToStore(of grant: GrantState, touching numbers: [AssetNumber]) -> [StoreChange] {
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

  /// The app's own earlier additions, which join its selection with the first read-write decision
  /// (R43), even a denial.
  func joining(from before: GrantRecord, to after: GrantRecord) -> Selection {
    guard before.status == .notDetermined, after.status != .notDetermined, after.key.level == .readWrite else {
      return catalogue.emptySelection()
    }
    return assets.created(by: [after.key.app])
  }

  /// The app's own additions in its selection.
  func own(of grant: GrantState) -> Selection {
    catalogue.intersection(grant.planned, assets.created(by: [grant.record.key.app]))
  }

  /// Adds assets to an app's selection in the commit that adds them to the library (R43, R44), so
  /// that even a crash cannot separate the two. Returns the work to do after the commit and after
  /// the assets are in the catalogue.
  func join(_ rows: [AssetRow], to grant: GrantState, in plan: inout ContentPlan) -> () -> Void {
    let rows = rows.filter {
      $0.flags.isDisjoint(with: [.neverShare, .trashed, .missing, .cloudShared])
        && !catalogue.contains($0.number, in: grant.planned)
    }
    return move(rows, [], of: grant, in: &plan)
  }

  /// Adds assets that join a selection, and assets that have left it, to a plan. Returns the work to
  /// do after the commit and after the assets are in the catalogue.
  func move(_ joining: [AssetRow], _ leaving: [AssetRow], of grant: GrantState, in plan: inout ContentPlan)
    -> () -> Void
  {
    let key = grant.record.key
    let numbers = (joining + leaving).map(\.number)
    guard !numbers.isEmpty else { return {} }
    if grant.record.status == .limited {
      plan.records += leaving.map { changes.log.makeRecord(.unselected, asset: ($0.number, $0.identifier), grant: key) }
      plan.records += joining.map { changes.log.makeRecord(.selected, asset: ($0.number, $0.identifier), grant: key) }
    }
    let coming = plan.joined[key, default: []] + joining.map(\.number)
    plan.joined[key] = coming
    let chunks = Set(numbers.map(\.chunk)).sorted()
    // A selection with a failed commit is written as a whole afterwards.
    let isUnsaved = grant.isSelectionUnsaved
    let written = chunks.map { catalogue.encode(grant.planned, chunk: $0, with: coming) ?? [] }
    if !isUnsaved { plan.changes.append(.putSelection(key, chunks: Array(zip(chunks, written)))) }
    return { [self] in
      guard !grant.isRemoved, grant.record.status != .notDetermined else { return }
      let added = catalogue.selection(of: joining.map(\.number))
      grant.planned = catalogue.union(grant.planned, added)
      grant.selection = catalogue.union(grant.selection, added)
      if let held = grant.held { grant.selection = catalogue.difference(grant.selection, held) }
      // Edits that were committed meanwhile overwrote these chunks.
      guard isUnsaved || chunks.map({ catalogue.encode(grant.planned, chunk: $0) ?? [] }) != written else { return }
      store.commit(changesToStore(of: grant, touching: numbers)) { grant.isSelectionUnsaved = $0 != nil }
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
