import Catalogue
import PhotoModel

/// Changes of the facts of one library's assets by people.
final class AssetEditor: LibraryPart {
  let core: LibraryCore
  private let trash: LibraryTrash

  init(_ core: LibraryCore, trash: LibraryTrash) {
    self.core = core
    self.trash = trash
  }

  /// Replaces an asset's facts by the result of `change`, which gets the facts when the queued edit
  /// runs, in one commit. Nil deletes the asset.
  /// - Parameters:
  ///   - caption: the stored caption, for an asset whose caption is not in memory.
  ///   - keeping: the decision to store.
  ///   - change: gets nil for an asset that is gone or deleted.
  func change(
    _ number: AssetNumber, caption: String?,
    keeping: @escaping (ValueChange<AssetValues?>, AssetRow) -> StoreChange,
    completion: @escaping Completion<Void>,
    _ change: @escaping (AssetValues?) throws(BrokerError) -> AssetValues?
  ) {
    content.enqueue(isOwners: true) { [self] () throws(BrokerError) -> ContentPlan in
      let known = assets.catalogue.row(of: number).flatMap { $0.flags.contains(.trashed) ? nil : $0 }
      let shown = assets.recentEdits[number]?.caption ?? caption ?? ""
      let after = try change(known.map { AssetValues($0, caption: shown) })
      var plan = ContentPlan()
      guard let known else { return plan }
      let before = AssetValues(known, caption: shown)
      let fields = after.map { ValueChange(before, $0).edited } ?? []
      guard after == nil || !fields.isEmpty else { return plan }
      var row = known
      if let after { after.set(&row) } else { row.flags.insert(.trashed) }
      row.modificationDate = max(row.modificationDate, environment.now)
      row.version &+= 1
      let caption = fields.contains(.caption) ? after?.caption : nil
      if let caption { plan.changes.append(.setCaption(assets.library, number, caption)) }
      if after == nil { plan.changes.append(.awaitTrash(assets.library, number, true)) }
      let kind = ChangeRecord.Kind.of(from: known.flags, to: row.flags) ?? .changed
      plan.change(
        [
          ChangedRow(
            row: row, isTaken: after == nil, record: changes.log.makeRecord(kind, asset: (number, row.identifier)))
        ], in: assets.library
      ) { _ in fields }
      plan.changes.append(keeping(ValueChange(before, after).withoutKeptCaption, known))
      plan.didPut = { [self] row in
        if row.flags.contains(.trashed) { trash.awaiting.insert(number) }
        assets.noteEdit(of: number, fields, caption: caption)
      }
      return plan
    } completion: {
      completion($0)
    }
  }
}

extension ValueChange<AssetValues?> {
  /// The change without a caption that it leaves as it is.
  var withoutKeptCaption: Self {
    guard var before, var after, before.caption == after.caption else { return self }
    (before.caption, after.caption) = (nil, nil)
    return Self(before, after)
  }
}
