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

  /// Ends conflicts: the edit stays, or what the file says holds from now on. Answers how many;
  /// assets without one are passed over.
  /// - Parameters:
  ///   - captions: what is kept of the assets' captions, for those whose caption the file
  ///     contradicts.
  ///   - away: what is kept of those that are away and are meant too.
  ///   - isMeant: whether a conflict, as it is when it would end, is one of those; others are
  ///     passed over.
  ///   - check: throws where what would end is not what is meant.
  ///   - decided: what is kept of it beside.
  package func resolve(
    _ assets: [AssetNumber], keepingFile: Bool, captions: [AssetNumber: String] = [:],
    away: [AssetNumber: AwayAsset?] = [:],
    isMeant: @escaping (OpenConflict) -> Bool = { _ in true },
    check: @escaping (ConflictChange) throws(BrokerError) -> Void = { _ throws(BrokerError) in },
    decided: @escaping (ConflictChange) -> [StoreChange] = { _ in [] },
    completion: @escaping (Result<Int, BrokerError>) -> Void
  ) {
    var count = 0
    enqueue(isOwners: true) { [self] () throws(BrokerError) -> Plan in
      var plan = Plan()
      var rows: [AssetRow] = []
      var ended: [ConflictChange.Item] = []
      var ofAway: [(AssetNumber, ConflictOfAway)] = []
      for number in Set(assets).sorted(by: { $0.rawValue < $1.rawValue }) {
        if let kept = kept(number, among: away) {
          guard let conflict = kept.conflict, !conflict.isSettled else { continue }
          let captions = [number: kept.record.caption].compactMapValues { $0 }
          let edit = keepingFile ? edit(of: kept.record.row, in: conflict.fields, captions) : nil
          ended.append(ConflictChange.Item(asset: number, conflict: conflict, edit: edit))
          let now = environment.now
          ofAway.append(
            (
              number,
              keepingFile ? ConflictOfAway(taking: conflict, time: now) : ConflictOfAway(conflict.settled, time: now)
            ))
          continue
        }
        guard let conflict = conflicts[number], !conflict.isSettled, var row = catalogue.row(of: number),
          isMeant(open(row, conflict, captions))
        else { continue }
        if keepingFile {
          ended.append(
            ConflictChange.Item(asset: number, conflict: conflict, edit: edit(of: row, in: conflict.fields, captions)))
          plan.changes += taking(conflict, into: &row)
          rows.append(row)
          plan.records.append(log.makeRecord(.changed, asset: (number, row.identifier)))
        } else {
          ended.append(ConflictChange.Item(asset: number, conflict: conflict, edit: nil))
          plan.changes.append(.putConflict(record.name, number, conflict.settled))
        }
      }
      plan.changes += ofAway.map { .decideAway(record.name, $0.0, $0.1) }
      count = ended.count
      let change = ConflictChange(items: ended)
      try check(change)
      if count > 0 { plan.changes += decided(change) }
      plan.apply = { [self] in
        for row in rows { catalogue.put(row) }
        decide(ofAway)
        for item in ended where kept(item.asset, among: away) == nil {
          conflicts[item.asset] = keepingFile ? nil : item.conflict.settled
          if keepingFile { recentEdits[item.asset]?.remove(item.conflict.fields) }
        }
      }
      return plan
    } completion: {
      completion($0.map { count })
    }
  }

  /// Opens conflicts again that a decision ended, with the edits that held then. Assets that are
  /// gone for good are left out.
  /// - Parameters:
  ///   - captions: what is kept of the captions of ``ConflictChange/captioned``.
  ///   - away: what is kept of those that are away.
  ///   - decided: what is kept of it beside.
  /// - Throws (by `completion`): what `moved` gives where something is not as the decision left it;
  ///   `failed`.
  func reopen(
    _ change: ConflictChange, captions: [AssetNumber: String], away: [AssetNumber: AwayAsset?], moved: BrokerError,
    decided: @escaping (ConflictChange) -> [StoreChange],
    completion: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    enqueue(isOwners: true) { [self] () throws(BrokerError) -> Plan in
      var plan = Plan()
      var rows: [AssetRow] = []
      let present = change.items.filter { catalogue.row(of: $0.asset) != nil }
      for item in present {
        guard var row = catalogue.row(of: item.asset),
          isUnmoved(item, row, conflicts[item.asset], caption: caption(of: item.asset, kept: captions))
        else { throw moved }
        plan.changes.append(.putConflict(record.name, item.asset, item.conflict))
        guard let edit = item.edit else { continue }
        plan.changes += putBack(edit, against: item.conflict, into: &row)
        rows.append(row)
        plan.records.append(log.makeRecord(.changed, asset: (item.asset, row.identifier)))
      }
      var ofAway: [(AssetNumber, ConflictOfAway)] = []
      for item in change.items {
        guard let kept = kept(item.asset, among: away) else { continue }
        guard isUnmoved(item, kept.record.row, kept.conflict, caption: kept.record.caption) else { throw moved }
        let now = environment.now
        let edit = item.edit.map { ConflictOfAway(item.conflict, puttingBack: $0, time: now) }
        ofAway.append((item.asset, edit ?? ConflictOfAway(item.conflict, time: now)))
      }
      guard isWhole(change, away) else { throw moved }
      plan.changes += ofAway.map { .decideAway(record.name, $0.0, $0.1) }
      let numbers = Set(present.map(\.asset) + ofAway.map(\.0))
      plan.changes += decided(
        ConflictChange(items: change.items.filter { numbers.contains($0.asset) }, areOpened: true))
      plan.apply = { [self] in
        decide(ofAway)
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

  /// What is kept of an asset that is away.
  func kept(_ number: AssetNumber, among away: [AssetNumber: AwayAsset?]) -> AwayAsset? {
    guard self.away.contains(number), catalogue.row(of: number) == nil else { return nil }
    return (away[number] ?? nil).map(upToDate)
  }

  /// Whether all of these that are away now were read. None of them was that went since.
  func isWhole(_ change: ConflictChange, _ away: [AssetNumber: AwayAsset?]) -> Bool {
    change.items.allSatisfy {
      catalogue.row(of: $0.asset) != nil || !self.away.contains($0.asset) || away.keys.contains($0.asset)
    }
  }

  /// Takes up what is kept of assets that are away, for who read it before.
  private func decide(_ ofAway: [(AssetNumber, ConflictOfAway)]) {
    for (number, decided) in ofAway { conflictsOfAway[number, default: ConflictsOfAway()].add(decided) }
  }

  /// Whether an asset is as a decision left it.
  private func isUnmoved(_ item: ConflictChange.Item, _ row: AssetRow, _ present: EditConflict?, caption: String?)
    -> Bool
  {
    let conflict = item.conflict
    guard item.edit != nil else { return present == conflict.settled }
    return present == nil
      && (!conflict.fields.contains(.creationDate) || row.creationDate == conflict.creationDate)
      && (!conflict.fields.contains(.location) || row.location == conflict.location)
      && (!conflict.fields.contains(.caption) || caption == conflict.caption)
  }

  /// What holds of some fields of an asset.
  private func edit(of row: AssetRow, in fields: EditedFields, _ captions: [AssetNumber: String]) -> ConflictChange.Edit
  {
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
  func caption(of number: AssetNumber, kept: [AssetNumber: String]) -> String? {
    recentEdits[number]?.caption ?? kept[number]
  }

  /// What was edited becomes the asset's again, whatever its file says.
  private func putBack(_ edit: ConflictChange.Edit, against conflict: EditConflict, into row: inout AssetRow)
    -> [StoreChange]
  {
    if conflict.fields.contains(.creationDate) {
      (row.creationDate, row.dateOrigin) = (edit.creationDate, edit.dateOrigin)
    }
    if conflict.fields.contains(.location) { row.location = edit.location }
    row.modificationDate = max(row.modificationDate, environment.now)
    row.version &+= 1
    let kept: [StoreChange] = [.updateRow(record.name, row, edited: conflict.fields)]
    return conflict.fields.contains(.caption) ? kept + [.setCaption(record.name, row.number, edit.caption)] : kept
  }

  /// What the file says becomes the asset's, and is the file's again.
  private func taking(_ conflict: EditConflict, into row: inout AssetRow) -> [StoreChange] {
    if conflict.fields.contains(.creationDate) {
      (row.creationDate, row.dateOrigin) = (conflict.creationDate, conflict.dateOrigin)
    }
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
