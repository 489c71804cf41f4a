package import Catalogue
import PhotoModel

extension LibraryState {
  /// A look at the storage begins. What is put there from now on is ``placed``: that the look does
  /// not see it says nothing.
  package func beginLook() {
    placed = []
    lookBegan = environment.now
    countAtLook = catalogue.count
  }

  /// It is over, and all that it found is taken up.
  package func endLook() {
    placed = nil
    lookBegan = nil
    comingPhotos = 0
    marksOfGone = [:]
    claimedFiles = []
    firstParted = nextParted
  }

  /// Takes up what the indexer found, all of it or nothing. The answer has the number of every
  /// inserted asset, in order.
  ///
  /// A new asset may be one that was away (``AwayAsset``): then it comes back, under its number and
  /// identifier.
  ///
  /// A file that comes from an asset which is hidden or never shared brings that to the asset that
  /// it is found to belong to: a new one, or one that was shared until then (R13). So does a new
  /// file that comes into its place.
  ///
  /// - Parameter prior: Whose the files were when the look compared.
  /// - Parameter newcomers: What apps add meanwhile: a file of it that is found too is none.
  package func apply(
    _ mutations: [AssetMutation], prior: PriorFiles = PriorFiles(), newcomers: Newcomers? = nil,
    completion: @escaping (Result<[AssetNumber], BrokerError>) -> Void
  ) {
    // Nearly always there is nothing to remember.
    recall(nextParted > 0 ? Withholding.newFiles(mutations, prior) : [], store.partedFiles, completion) {
      [self] remembered in
      recall(away.isEmpty ? [] : ReturningAssets.originals(mutations), store.awayAssets, completion) { [self] away in
        apply(mutations, prior, remembered: remembered, away, newcomers, completion)
      }
    }
  }

  /// Reads what is remembered and like these files.
  private func recall<Remembered: Sendable>(
    _ files: [ResourceRecord],
    _ read: (LibraryName, [ResourceRecord], @escaping @Sendable (Result<[Remembered], StoreFailure>) -> Void) -> Void,
    _ completion: @escaping (Result<[AssetNumber], BrokerError>) -> Void, then: @escaping ([Remembered]) -> Void
  ) {
    guard !files.isEmpty else { return then([]) }
    let carried = Confined { (remembered: Result<[Remembered], StoreFailure>) in
      switch remembered {
      case .success(let remembered): then(remembered)
      case .failure(let failure): completion(.failure(.failed(failure)))
      }
    }
    read(record.name, files) { carried.value($0) }
  }

  private func apply(
    _ mutations: [AssetMutation], _ prior: PriorFiles, remembered: [PartedFile], _ away: [AwayAsset],
    _ newcomers: Newcomers?,
    _ completion: @escaping (Result<[AssetNumber], BrokerError>) -> Void
  ) {
    var numbers: [AssetNumber] = []
    var found: [AssetNumber: EditConflict?] = [:]
    enqueue { [self] () throws(BrokerError) -> Plan in
      var plan = Plan()
      var records: [AssetRecord] = []
      var removals: [AssetNumber] = []
      var lost: [AssetRow] = []
      var returned: [AssetRecord] = []
      let returning = ReturningAssets(mutations, among: away, in: self)
      var withholding = Withholding(self, prior, remembered: remembered)
      for (index, mutation) in mutations.enumerated() {
        switch mutation {
        case .insert(var record):
          // What lies in the storage for a request that is not whole is no asset yet, and is none of its finder's.
          if holdBack(record) || newcomers.map({ isKnown(record, among: $0) }) ?? false { continue }
          if let away = returning[index] {
            let conflict: EditConflict?
            (record, conflict) = self.returned(away, as: record)
            if let conflict { found[record.row.number] = .some(conflict) }
          } else {
            let words = environment.randomWords()
            record.row.number = try takeNumber()
            record.row.identifier = AssetIdentifier(high: words.high, low: words.low)
          }
          let number = record.row.number
          record.row.flags.formUnion(withholding.marks(of: record.resources, in: number, isNew: true))
          numbers.append(number)
          records.append(record)
          plan.changes.append(.putAsset(self.record.name, record))
          if returning[index] != nil {
            returned.append(record)
            plan.changes.append(.endAway(self.record.name, number))
            if let conflict = found[number] { plan.changes.append(.putConflict(self.record.name, number, conflict)) }
          }
          if let kind = ChangeRecord.Kind.of(from: nil, to: record.row.flags) {
            plan.records.append(log.makeRecord(kind, asset: (number, record.row.identifier)))
          }
        case .update(var record), .reread(var record, _):
          guard let known = catalogue.row(of: record.row.number), !isAddition(record, among: newcomers) else {
            continue
          }
          // What was edited since the indexer read the asset: its record says nothing of that.
          record.edited.formUnion(recentEdits[known.number]?.fields ?? [])
          if let caption = recentEdits[known.number]?.caption { record.caption = caption }
          var isReread = false
          if case .reread(_, let caption) = mutation {
            isReread = true
            let conflict = EditConflict(known: known, file: record, caption: caption)?.following(
              conflicts[known.number])
            if conflict != conflicts[known.number] {
              found[known.number] = .some(conflict)
              plan.changes.append(.putConflict(self.record.name, known.number, conflict))
            }
          }
          record.row = merged(known, with: record, isReread: isReread)
          // Something of its files is new, though the photo's own may have an older time, or the
          // same as before where a sidecar changed.
          if isReread, record.row.modificationDate == known.modificationDate {
            record.row.modificationDate = max(known.modificationDate, environment.now)
          }
          let marks = withholding.marks(of: record.resources, in: known.number, isNew: false).subtracting(known.flags)
          record.row.flags.formUnion(marks)
          if !marks.isEmpty { plan.taken.append(known.number) }
          withholding.part(from: known, now: record.resources)
          records.append(record)
          plan.changes.append(.putAsset(self.record.name, record))
          let kind = ChangeRecord.Kind.of(from: known.flags, to: record.row.flags) ?? .changed
          plan.records.append(log.makeRecord(kind, asset: (known.number, known.identifier)))
          if kind == .shared { plan.takenFromLimited.append(known.number) }
        case .remove(let number), .lose(let number):
          guard let known = catalogue.row(of: number) else { continue }
          withholding.part(from: known, now: [])
          // What was deleted meanwhile went by that.
          if case .lose = mutation, !known.flags.contains(.trashed) {
            lost.append(known)
            tellRemoved(known, in: &plan)
          } else {
            removals.append(number)
            remove(known, in: &plan)
          }
        }
      }
      putAside(lost, in: &plan)
      let rejoin = rejoin(returned.map(\.row), in: &plan)
      let noteWithheld = withholding.finish(&plan)
      plan.apply = { [self] in
        noteWithheld()
        setAside(lost.map(\.number))
        for record in records {
          catalogue.put(record.row)
          newcomers?.note(record, addedBy: nil)
        }
        for record in returned { creators[record.row.number] = record.creator }
        rejoin()
        for (number, conflict) in found { conflicts[number] = conflict }
        for number in removals { forget(number) }
      }
      return plan
    } completion: {
      completion($0.map { numbers })
    }
  }

  /// Whether what a known asset seems to be now is what an app adds meanwhile, which is an asset of
  /// its own: the same bytes, where the known one's file has gone. What became of that is for a
  /// later look to say.
  private func isAddition(_ record: AssetRecord, among newcomers: Newcomers?) -> Bool {
    if record.resources.contains(where: { file in additions.all.contains { $0.mayBe(file) } }) {
      additions.hasPostponed = true
      return true
    }
    guard let number = newcomers?.number(of: record), number != record.row.number, creators[number] != nil else {
      return false
    }
    filesReleased()
    return true
  }

  /// Whether a found file is an asset already, which an app added or another look found.
  ///
  /// What was deleted is that only where it is certain: a look that saw its file before it went to
  /// the trash has found nothing new.
  private func isKnown(_ record: AssetRecord, among newcomers: Newcomers) -> Bool {
    guard let number = newcomers.number(of: record), let known = catalogue.row(of: number) else { return false }
    return !known.flags.contains(.trashed) || newcomers.isCertain(record)
  }

  /// The asset that a look made of a file which an app added, before that was known: the storage
  /// did not put it where it was asked to. Two additions by apps are never one file, and what was
  /// deleted is never the file that an app adds in its place.
  func finding(of record: AssetRecord, among newcomers: Newcomers) -> AssetRow? {
    guard let number = newcomers.number(of: record), creators[number] == nil, let known = catalogue.row(of: number)
    else { return nil }
    return known.flags.contains(.trashed) ? nil : known
  }

  /// Call ``forget(_:)`` once that is kept.
  func remove(_ known: AssetRow, in plan: inout Plan) {
    plan.changes.append(.removeAsset(record.name, known.number))
    tellRemoved(known, in: &plan)
  }

  private func tellRemoved(_ known: AssetRow, in plan: inout Plan) {
    plan.taken.append(known.number)
    // What was in hiding went away when it was hidden; nobody is told of it twice.
    if let kind = ChangeRecord.Kind.of(from: known.flags, to: nil) {
      plan.records.append(log.makeRecord(kind, asset: (known.number, known.identifier)))
    }
    for grant in grantsSelecting(known.number) {
      plan.records.append(log.makeRecord(.unselected, asset: (known.number, known.identifier), grant: grant))
    }
  }

  /// Numbers are never used twice.
  func takeNumber() throws(BrokerError) -> AssetNumber {
    defer { nextNumber += 1 }
    return try number(after: 0)
  }

  /// Facts of the file, under what people and apps said of the asset.
  func merged(_ known: AssetRow, with update: AssetRecord, isReread: Bool) -> AssetRow {
    var row = update.row
    row.identifier = known.identifier
    row.addedDate = known.addedDate
    let ofFile: AssetFlags =
      isReread && !update.edited.contains(.favourite) ? [.cloudShared, .favourite] : .cloudShared
    row.flags = known.flags.subtracting(ofFile).union(row.flags.intersection(ofFile))
    row.modificationDate = max(known.modificationDate, row.modificationDate)
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
  func forget(_ number: AssetNumber) {
    leaveCatalogue(number)
    for (identifier, album) in albums where album.members.contains(number) {
      albums[identifier]?.members.removeAll { $0 == number }
    }
  }

  func leaveCatalogue(_ number: AssetNumber) {
    _ = catalogue.remove(number)
    recentEdits[number] = nil
    conflicts[number] = nil
    awaitingTrash.remove(number)
    deletions[number] = nil
    creators[number] = nil
  }
}
