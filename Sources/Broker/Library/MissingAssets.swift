import Catalogue
import PhotoModel

/// The missing assets of one library (``MissingAsset``).
final class MissingAssets: LibraryPart {
  /// The oldest first.
  var losses: [MissingAsset.Loss]
  /// The largest number of photos before some went missing.
  private var photosBefore: Int
  let core: LibraryCore
  private let trash: LibraryTrash

  init(_ core: LibraryCore, _ contents: LibraryContents, trash: LibraryTrash) {
    self.core = core
    losses = contents.missing
    photosBefore = contents.catalogue.count + contents.missing.count
    self.trash = trash
  }

  /// Number of photos plus reserved room for missing ones. The reserve ends at the former total;
  /// otherwise a user who repeatedly moves photos out and others in would have no limit.
  var heldPhotos: Int {
    max(assets.catalogue.count, min(photosBefore, assets.catalogue.count + losses.count))
  }

  /// Adds assets that became missing to a plan, and deletes some that are missing for too long.
  /// - Parameters:
  ///   - returned: missing assets that the plan brings back.
  ///   - count: the number of assets when the scan began.
  /// - Returns: the work to do after the commit.
  func lose(_ lost: [AssetRow], besides returned: Set<AssetNumber>, of count: Int, in plan: inout ContentPlan) -> () ->
    Void
  {
    guard !lost.isEmpty else { return {} }
    let (name, now) = (assets.library, environment.now)
    let rest = losses.filter { !returned.contains($0.asset) }
    let limit = max(MissingAsset.alwaysKept, count) - lost.count
    let expired = MissingAsset.expired(rest, keeping: limit, at: now)
    for row in expired.compactMap({ assets.catalogue.row(of: $0.asset) }) { trash.remove(row, in: &plan) }
    plan.taken += lost.map(\.number)
    var rows = lost
    for index in rows.indices {
      // A hidden asset was reported as removed when it was hidden.
      if let kind = ChangeRecord.Kind.of(from: rows[index].flags, to: nil) {
        plan.records.append(changes.log.makeRecord(kind, asset: (rows[index].number, rows[index].identifier)))
      }
      rows[index].flags.insert(.missing)
      rows[index].version &+= 1
      plan.changes += [
        .updateRow(name, rows[index], edited: []), .noteMissing(name, rows[index].number, since: now),
      ]
    }
    return { [self, rows] in
      photosBefore = max(photosBefore, assets.catalogue.count)
      for row in rows { assets.catalogue.put(row) }
      losses = rest.dropFirst(expired.count) + rows.map { ($0.number, now) }
      for loss in expired { trash.forget(loss.asset) }
    }
  }

  /// The record of an asset that was missing and returned: facts of the found file under the
  /// asset's edits and marks, including those made while it was missing.
  func returned(_ known: AssetRecord, _ row: AssetRow, as found: AssetRecord) -> AssetRecord {
    var record = found
    record.edited = known.edited.union(assets.recentEdits[row.number]?.fields ?? [])
    record.creator = known.creator
    if record.edited.contains(.caption) { record.caption = known.caption }
    record.ofFile = FileValues(of: record, caption: found.caption)
    record.row.number = row.number
    record.row = row.merged(with: record, isReread: true)
    record.row.flags.remove(.missing)
    return record
  }
}
