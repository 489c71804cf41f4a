package import Catalogue
import PhotoModel

/// The trashed assets of one library, and the removal of assets.
package final class LibraryTrash: LibraryPart {
  /// Trashed assets whose files have yet to be moved to the storage's trash.
  package internal(set) var awaiting: Set<AssetNumber>
  /// The app that deleted a trashed asset, if known.
  package internal(set) var deletions: [AssetNumber: Deletion]
  let core: LibraryCore

  init(_ core: LibraryCore, _ contents: LibraryContents) {
    self.core = core
    awaiting = contents.awaitingTrash
    deletions = contents.deletions
  }

  /// Trashed assets, newest first.
  package func rows() -> [AssetRow] {
    var query = Query()
    query.withFlags = .trashed
    return (try? assets.catalogue.page(query, in: .owner, limit: .max)).map(assets.rows) ?? []
  }

  /// Restores assets whose files are back from the trash. Completes with their number.
  /// - Parameter keeping: further changes for the commit.
  package func restore(_ numbers: [AssetNumber], keeping: [StoreChange] = [], completion: @escaping Completion<Int>) {
    var count = 0
    content.enqueue(isOwners: true) { [self] () throws(BrokerError) -> ContentPlan in
      var plan = ContentPlan()
      var rows: [AssetRow] = []
      for number in numbers {
        guard var row = assets.catalogue.row(of: number), row.flags.contains(.trashed) else { continue }
        let before = row.flags
        row.flags.remove(.trashed)
        assets.placed?.insert(number)
        row.version &+= 1
        rows.append(row)
        plan.changes.append(.updateRow(assets.library, row, edited: []))
        if deletions[number] != nil { plan.changes.append(.noteDeletion(assets.library, number, nil)) }
        if awaiting.contains(number) { plan.changes.append(.awaitTrash(assets.library, number, false)) }
        let kind = ChangeRecord.Kind.of(from: before, to: row.flags) ?? .changed
        plan.records.append(changes.log.makeRecord(kind, asset: (number, row.identifier)))
      }
      count = rows.count
      if count > 0 { plan.changes += keeping }
      plan.apply = { [self] in
        for row in rows {
          assets.catalogue.put(row)
          awaiting.remove(row.number)
          deletions[row.number] = nil
        }
      }
      return plan
    } completion: {
      completion($0.map { count })
    }
  }

  /// Notes that a deleted asset's files are in the storage's trash.
  package func didMove(_ number: AssetNumber) {
    guard awaiting.remove(number) != nil else { return }
    // If a crash loses this, the move is tried again, and succeeds because it is complete.
    store.commit([.awaitTrash(assets.library, number, false)]) { _ in }
  }

  /// Adds an asset in the trash for a file of an interrupted request that is in the storage's
  /// trash. The owner can find it among deleted photos and restore it. It belongs to no app.
  package func keep(_ found: AssetRecord, completion: @escaping Completion<Void>) {
    content.enqueue { [self] () throws(BrokerError) -> ContentPlan in
      var (record, plan) = (found, ContentPlan())
      let words = environment.randomWords()
      record.row.number = try assets.takeNumber()
      record.row.identifier = AssetIdentifier(high: words.high, low: words.low)
      record.row.flags.insert(.trashed)
      plan.changes.append(.putAsset(assets.library, record))
      plan.apply = { [self] in assets.catalogue.put(record.row) }
      return plan
    } completion: {
      completion($0)
    }
  }

  /// Removes an asset in a plan. Call ``forget(_:)`` after the commit.
  func remove(_ known: AssetRow, in plan: inout ContentPlan) {
    plan.changes.append(.removeAsset(assets.library, known.number))
    plan.taken.append(known.number)
    // A hidden asset was reported as removed when it was hidden.
    if let kind = ChangeRecord.Kind.of(from: known.flags, to: nil) {
      plan.records.append(changes.log.makeRecord(kind, asset: (known.number, known.identifier)))
    }
    for grant in broker.grants(selecting: known.number, of: assets) {
      plan.records.append(changes.log.makeRecord(.unselected, asset: (known.number, known.identifier), grant: grant))
    }
  }

  /// Removes an asset from the catalogue and from albums.
  func forget(_ number: AssetNumber) {
    assets.forget(number)
    awaiting.remove(number)
    deletions[number] = nil
    albums.forget(number)
  }
}
