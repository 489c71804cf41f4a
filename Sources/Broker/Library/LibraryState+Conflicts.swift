package import Catalogue
import PhotoModel

extension LibraryState {
  /// What the owner has yet to decide, newest asset first.
  package var openConflicts: [(row: AssetRow, conflict: EditConflict)] {
    conflicts.filter { !$0.value.isSettled }
      .compactMap { number, conflict in catalogue.row(of: number).map { ($0, conflict) } }
      .filter { !$0.row.flags.contains(.trashed) }
      .sorted {
        ($0.row.creationDate?.microseconds ?? .min, $0.row.number.rawValue) > (
          $1.row.creationDate?.microseconds ?? .min, $1.row.number.rawValue
        )
      }
  }

  /// Ends conflicts: the edit stays, or what the file says holds from now on. Answers how many; assets without one are passed
  /// over.
  package func resolve(
    _ assets: [AssetNumber], keepingFile: Bool, completion: @escaping (Result<Int, BrokerError>) -> Void
  ) {
    var count = 0
    enqueue { [self] () throws(BrokerError) -> Plan in
      var plan = Plan()
      var rows: [AssetRow] = []
      var settled: [AssetNumber: EditConflict] = [:]
      for number in Set(assets) {
        guard var conflict = conflicts[number], !conflict.isSettled, var row = catalogue.row(of: number) else { continue }
        if keepingFile {
          plan.changes += taking(conflict, into: &row)
          rows.append(row)
          plan.records.append(log.makeRecord(.changed, asset: (number, row.identifier)))
        } else {
          conflict.isSettled = true
          plan.changes.append(.putConflict(record.name, number, conflict))
        }
        settled[number] = conflict
      }
      count = settled.count
      plan.apply = { [self] in
        for row in rows { catalogue.put(row) }
        for (number, conflict) in settled {
          conflicts[number] = keepingFile ? nil : conflict
          if keepingFile { recentEdits[number]?.fields.subtract(conflict.fields) }
        }
      }
      return plan
    } completion: {
      completion($0.map { count })
    }
  }

  /// What the file says becomes the asset's, and is the file's again.
  private func taking(_ conflict: EditConflict, into row: inout AssetRow) -> [StoreChange] {
    if conflict.fields.contains(.creationDate) { (row.creationDate, row.dateOrigin) = (conflict.creationDate, conflict.dateOrigin) }
    if conflict.fields.contains(.location) { row.location = conflict.location }
    row.modificationDate = max(row.modificationDate, environment.now)
    row.version &+= 1
    var changes: [StoreChange] = [
      .updateRow(record.name, row, edited: []), .clearEdited(record.name, row.number, conflict.fields),
      .putConflict(record.name, row.number, nil),
    ]
    if conflict.fields.contains(.caption) { changes.append(.setCaption(record.name, row.number, conflict.caption)) }
    return changes
  }

  /// A deleted asset's files are in the storage's trash.
  package func didMoveToTrash(_ number: AssetNumber) {
    guard awaitingTrash.remove(number) != nil else { return }
    // What is lost of this at a crash is done again, and done already counts as done.
    store.commit([.awaitTrash(record.name, number, false)]) { _ in }
  }
}
