package import Catalogue
import PhotoModel

extension LibraryState {
  /// Takes up what the indexer found, all of it or nothing. The answer has the number of every inserted asset, in order.
  ///
  /// `creator` is the app that added the assets, if one did. They join the selection of `grant`, its read-write grant (R43, R44).
  ///
  /// - Parameter newcomers: What is added meanwhile; of a file that is found twice the second finding is none.
  package func apply(
    _ mutations: [AssetMutation], creator: AppIdentifier? = nil, joining grant: GrantState? = nil, newcomers: Newcomers? = nil,
    completion: @escaping (Result<[AssetNumber], BrokerError>) -> Void
  ) {
    var numbers: [AssetNumber] = []
    var found: [AssetNumber: EditConflict?] = [:]
    enqueue { [self] () throws(BrokerError) -> Plan in
      var plan = Plan()
      var records: [AssetRecord] = []
      var removals: [AssetNumber] = []
      for mutation in mutations {
        var mutation = mutation
        // What lies in the storage for a request that is not whole is no asset yet, and is none of its finder's.
        if case .insert(let record) = mutation, creator == nil, holdBack(record) { continue }
        if case .insert(var record) = mutation, let known = newcomers.flatMap({ twin(of: record, addedBy: creator, among: $0) }) {
          guard let creator else { continue }
          record.row.number = known.number
          record.creator = creator
          numbers.append(known.number)
          mutation = .update(record)
        }
        switch mutation {
        case .insert(var record):
          let number = try takeNumber()
          let words = environment.randomWords()
          record.row.number = number
          record.row.identifier = AssetIdentifier(high: words.high, low: words.low)
          record.creator = creator
          numbers.append(number)
          records.append(record)
          plan.changes.append(.putAsset(self.record.name, record))
          if let kind = ChangeRecord.Kind.of(from: nil, to: record.row.flags) {
            plan.records.append(log.makeRecord(kind, asset: (number, record.row.identifier)))
          }
        case .update(var record), .reread(var record, _):
          guard let known = catalogue.row(of: record.row.number) else { continue }
          // What was edited since the indexer read the asset: its record says nothing of that.
          record.edited.formUnion(recentEdits[known.number]?.fields ?? [])
          if let caption = recentEdits[known.number]?.caption { record.caption = caption }
          if case .reread(_, let caption) = mutation {
            let conflict = EditConflict(known: known, file: record, caption: caption)?.following(conflicts[known.number])
            if conflict != conflicts[known.number] {
              found[known.number] = .some(conflict)
              plan.changes.append(.putConflict(self.record.name, known.number, conflict))
            }
          }
          record.row = merged(known, with: record)
          records.append(record)
          plan.changes.append(.putAsset(self.record.name, record))
          let kind = ChangeRecord.Kind.of(from: known.flags, to: record.row.flags) ?? .changed
          plan.records.append(log.makeRecord(kind, asset: (known.number, known.identifier)))
          if kind == .shared { plan.takenFromLimited.append(known.number) }
        case .remove(let number):
          guard let known = catalogue.row(of: number) else { continue }
          removals.append(number)
          plan.changes.append(.removeAsset(self.record.name, number))
          // What was in hiding went away when it was hidden; nobody is told of it twice.
          if let kind = ChangeRecord.Kind.of(from: known.flags, to: nil) {
            plan.records.append(log.makeRecord(kind, asset: (number, known.identifier)))
          }
          for grant in grantsSelecting(number) {
            plan.records.append(log.makeRecord(.unselected, asset: (number, known.identifier), grant: grant))
          }
        }
      }
      plan.taken = removals
      let join = creator == nil ? nil : grant.map { self.join(records.map(\.row), to: $0, in: &plan) }
      plan.apply = { [self] in
        for record in records {
          catalogue.put(record.row)
          newcomers?.note(record, addedBy: creator)
        }
        for (number, conflict) in found { conflicts[number] = conflict }
        for number in removals { forget(number) }
        if let creator { for number in numbers { creators[number] = creator } }
        join?()
      }
      return plan
    } completion: {
      completion($0.map { numbers })
    }
  }

  /// The asset that a newly found or added file is already.
  ///
  /// What was deleted is never the file that an app adds in its place; a look that saw its file before it went to the trash has found
  /// nothing new. Two additions by apps are never one file.
  private func twin(of record: AssetRecord, addedBy creator: AppIdentifier?, among newcomers: Newcomers) -> AssetRow? {
    guard let number = newcomers.number(of: record), let known = catalogue.row(of: number) else { return nil }
    guard creator != nil else { return known.flags.contains(.trashed) && !newcomers.isCertain(record) ? nil : known }
    return known.flags.contains(.trashed) || creators[number] != nil ? nil : known
  }

  /// Numbers are never used twice.
  private func takeNumber() throws(BrokerError) -> AssetNumber {
    defer { nextNumber += 1 }
    return try number(after: 0)
  }

  /// Facts of the file, under what people and apps said of the asset.
  private func merged(_ known: AssetRow, with update: AssetRecord) -> AssetRow {
    var row = update.row
    row.identifier = known.identifier
    row.addedDate = known.addedDate
    row.flags = known.flags.subtracting(.cloudShared).union(row.flags.intersection(.cloudShared))
    row.version = known.version &+ 1
    if update.edited.contains(.creationDate) {
      row.creationDate = known.creationDate
      row.dateOrigin = known.dateOrigin
      row.zoneMinutes = known.zoneMinutes
    }
    if update.edited.contains(.location) { row.location = known.location }
    return row
  }

  /// A removed asset leaves selections, albums and the list of creators, so that nothing refers to what is not there.
  private func forget(_ number: AssetNumber) {
    _ = catalogue.remove(number)
    recentEdits[number] = nil
    conflicts[number] = nil
    awaitingTrash.remove(number)
    creators[number] = nil
    for (identifier, album) in albums where album.members.contains(number) {
      albums[identifier]?.members.removeAll { $0 == number }
    }
  }
}
