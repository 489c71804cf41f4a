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

  /// How many there are. Asked for again and again, so it is counted once for each change of the library.
  package var openConflictCount: Int {
    if let known = countedConflicts, known.revision == revision { return known.count }
    let count = conflicts.count { number, conflict in
      !conflict.isSettled && !(catalogue.row(of: number)?.flags.contains(.trashed) ?? true)
    }
    countedConflicts = CountedConflicts(revision: revision, count: count)
    return count
  }

  /// Ends conflicts: the edit stays, or what the file says holds from now on. Answers how many; assets without one are passed
  /// over.
  /// - Parameters:
  ///   - captions: what is kept of the assets' captions, for those whose caption the file contradicts.
  ///   - isMeant: whether a conflict, as it is when it would end, is one of those; others are passed over.
  ///   - check: throws where what would end is not what is meant.
  ///   - decided: what is kept of it beside.
  package func resolve(
    _ assets: [AssetNumber], keepingFile: Bool, captions: [AssetNumber: String] = [:],
    isMeant: @escaping (OpenConflict) -> Bool = { _ in true },
    check: @escaping (ConflictChange) throws(BrokerError) -> Void = { _ throws(BrokerError) in },
    decided: @escaping (ConflictChange) -> [StoreChange] = { _ in [] }, completion: @escaping (Result<Int, BrokerError>) -> Void
  ) {
    var count = 0
    enqueue(isOwners: true) { [self] () throws(BrokerError) -> Plan in
      var plan = Plan()
      var rows: [AssetRow] = []
      var ended: [ConflictChange.Item] = []
      for number in Set(assets).sorted(by: { $0.rawValue < $1.rawValue }) {
        guard let conflict = conflicts[number], !conflict.isSettled, var row = catalogue.row(of: number),
          isMeant(open(row, conflict, captions))
        else { continue }
        if keepingFile {
          ended.append(ConflictChange.Item(asset: number, conflict: conflict, edit: edit(of: row, in: conflict.fields, captions)))
          plan.changes += taking(conflict, into: &row)
          rows.append(row)
          plan.records.append(log.makeRecord(.changed, asset: (number, row.identifier)))
        } else {
          ended.append(ConflictChange.Item(asset: number, conflict: conflict, edit: nil))
          plan.changes.append(.putConflict(record.name, number, conflict.settled))
        }
      }
      count = ended.count
      let change = ConflictChange(items: ended)
      try check(change)
      if count > 0 { plan.changes += decided(change) }
      plan.apply = { [self] in
        for row in rows { catalogue.put(row) }
        for item in ended {
          conflicts[item.asset] = keepingFile ? nil : item.conflict.settled
          if keepingFile { recentEdits[item.asset]?.remove(item.conflict.fields) }
        }
      }
      return plan
    } completion: {
      completion($0.map { count })
    }
  }

  /// Opens conflicts again that a decision ended, with the edits that held then. Assets that are gone since are left out.
  /// - Parameters:
  ///   - captions: what is kept of the captions of ``ConflictChange/captioned``.
  ///   - decided: what is kept of it beside.
  /// - Throws (by `completion`): what `moved` gives where something is not as the decision left it; `failed`.
  func reopen(
    _ change: ConflictChange, captions: [AssetNumber: String], moved: BrokerError,
    decided: @escaping (ConflictChange) -> [StoreChange],
    completion: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    enqueue(isOwners: true) { [self] () throws(BrokerError) -> Plan in
      var plan = Plan()
      var rows: [AssetRow] = []
      let present = change.items.filter { catalogue.row(of: $0.asset) != nil }
      for item in present {
        guard var row = catalogue.row(of: item.asset), isUnmoved(item, row, captions) else { throw moved }
        plan.changes.append(.putConflict(record.name, item.asset, item.conflict))
        guard let edit = item.edit else { continue }
        plan.changes += putBack(edit, against: item.conflict, into: &row)
        rows.append(row)
        plan.records.append(log.makeRecord(.changed, asset: (item.asset, row.identifier)))
      }
      plan.changes += decided(ConflictChange(items: present, areOpened: true))
      plan.apply = { [self] in
        for row in rows { catalogue.put(row) }
        for item in present {
          conflicts[item.asset] = item.conflict
          guard let edit = item.edit else { continue }
          recentEdits[item.asset, default: RecentEdit()].fields.formUnion(item.conflict.fields)
          if item.conflict.fields.contains(.caption) { recentEdits[item.asset]?.caption = edit.caption }
        }
      }
      return plan
    } completion: {
      completion($0)
    }
  }

  /// Whether an asset is as a decision left it.
  private func isUnmoved(_ item: ConflictChange.Item, _ row: AssetRow, _ captions: [AssetNumber: String]) -> Bool {
    let conflict = item.conflict
    guard item.edit != nil else { return conflicts[item.asset] == conflict.settled }
    return conflicts[item.asset] == nil
      && (!conflict.fields.contains(.creationDate) || row.creationDate == conflict.creationDate)
      && (!conflict.fields.contains(.location) || row.location == conflict.location)
      && (!conflict.fields.contains(.caption) || caption(of: item.asset, kept: captions) == conflict.caption)
  }

  /// What holds of some fields of an asset.
  private func edit(of row: AssetRow, in fields: EditedFields, _ captions: [AssetNumber: String]) -> ConflictChange.Edit {
    let isDate = fields.contains(.creationDate)
    return ConflictChange.Edit(
      creationDate: isDate ? row.creationDate : nil, dateOrigin: isDate ? row.dateOrigin : nil,
      location: fields.contains(.location) ? row.location : nil,
      caption: fields.contains(.caption) ? caption(of: row.number, kept: captions) : nil)
  }

  /// - Parameter captions: What is kept of the captions of those whose caption the file contradicts.
  func open(_ row: AssetRow, _ conflict: EditConflict, _ captions: [AssetNumber: String]) -> OpenConflict {
    let caption = conflict.fields.contains(.caption) ? caption(of: row.number, kept: captions) : nil
    return OpenConflict(row: row, conflict: conflict, caption: caption)
  }

  /// The caption as it is now: what was edited since it was read wins.
  func caption(of number: AssetNumber, kept: [AssetNumber: String]) -> String? { recentEdits[number]?.caption ?? kept[number] }

  /// What was edited becomes the asset's again, whatever its file says.
  private func putBack(_ edit: ConflictChange.Edit, against conflict: EditConflict, into row: inout AssetRow) -> [StoreChange] {
    if conflict.fields.contains(.creationDate) { (row.creationDate, row.dateOrigin) = (edit.creationDate, edit.dateOrigin) }
    if conflict.fields.contains(.location) { row.location = edit.location }
    row.modificationDate = max(row.modificationDate, environment.now)
    row.version &+= 1
    let kept: [StoreChange] = [.updateRow(record.name, row, edited: conflict.fields)]
    return conflict.fields.contains(.caption) ? kept + [.setCaption(record.name, row.number, edit.caption)] : kept
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
