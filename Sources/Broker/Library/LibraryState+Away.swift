import Catalogue
import PhotoModel

extension LibraryState {
  /// Adds assets that became missing to a plan: they leave the library, and their records are
  /// stored aside.
  func putAside(_ lost: [AssetRow], in plan: inout Plan) {
    guard !lost.isEmpty else { return }
    let (name, now) = (record.name, environment.now)
    plan.changes += lost.map { .putAway(name, $0.number, since: now) }
    plan.changes.append(
      .trimAway(
        name, before: now.advanced(by: .zero - AwayAsset.patience), limit: max(AwayAsset.alwaysKept, countAtLook)))
  }

  /// Removes missing assets from the catalogue. They keep their places in albums and selections,
  /// uncounted and invisible.
  ///
  /// A selection keeps only assets on which no pending edit disagrees.
  func setAside(_ lost: [AssetNumber]) {
    guard !lost.isEmpty else { return }
    photosBeforeAway = max(photosBeforeAway, catalogue.count)
    let gone = catalogue.selection(of: lost)
    for grant in broker.grants(holding: lost, in: self) {
      for number in lost
      where catalogue.contains(number, in: grant.planned) && catalogue.contains(number, in: grant.selection) {
        grant.away.insert(number)
      }
      // Removed from the bits of the selections too, so that a later edit while they are missing
      // decides alone whether they return.
      grant.planned = catalogue.difference(grant.planned, gone)
      grant.selection = catalogue.difference(grant.selection, gone)
    }
    noteMoves(of: lost)
    for number in lost {
      leaveCatalogue(number)
      away.insert(number)
      marksOfAway[number] = nil
    }
  }

  /// The record of an asset that was missing and returned: facts of the found file under the
  /// asset's edits and marks, including those made while it was missing.
  func returned(_ away: AwayAsset, as found: AssetRecord) -> AssetRecord {
    let away = upToDate(away)
    var (record, known) = (found, away.record)
    record.edited = known.edited
    record.creator = known.creator
    if record.edited.contains(.caption) { record.caption = known.caption }
    record.ofFile = FileValues(of: record, caption: found.caption)
    record.row.number = known.row.number
    record.row = merged(known.row, with: record, isReread: true)
    return record
  }

  /// A missing asset with the marks that changed since its record was read.
  func upToDate(_ away: AwayAsset) -> AwayAsset {
    var record = away.record
    marksOfAway[record.row.number]?.apply(to: &record)
    return AwayAsset(record: record, since: away.since)
  }

  /// Restores returned assets to the selections in which they still are, in the commit that brings
  /// them back, and to attenuated tokens that list them. Returns the work to do after the commit
  /// and after they are in the catalogue.
  func rejoin(_ rows: [AssetRow], in plan: inout Plan) -> () -> Void {
    guard !rows.isEmpty else { return {} }
    var joins: [() -> Void] = []
    for grant in broker.grantsSelectingAway(in: self) {
      let own = rows.filter { grant.away.contains($0.number) }
      guard !own.isEmpty else { continue }
      joins.append(join(own, to: grant, in: &plan, return: true))
    }
    return { [self] in
      for row in rows { away.remove(row.number) }
      for join in joins { join() }
      for narrowing in broker.narrowings(in: self) { narrowing.take(rows, in: catalogue) }
      let numbers = Set(rows.map(\.number))
      // These were computed while the assets were missing.
      albumSelections = albumSelections.filter { numbers.isDisjoint(with: $0.value.members) }
      memberUnion = nil
    }
  }

  /// Adds missing assets to a grant's selection for their return, as an undo asks. Store
  /// ``selectionChanges(of:touching:)`` with the result.
  func putBackAway(_ numbers: [AssetNumber], into grant: GrantState) -> [AssetNumber] {
    let coming = numbers.filter { away.contains($0) && !grant.away.contains($0) }
    for number in coming { grant.away.insert(number) }
    return coming
  }

  /// Deselects missing assets of a grant, because of a new choice or a removal by properties. It
  /// takes effect at once; store ``selectionChanges(of:touching:)`` with the result.
  func forgetAway(_ numbers: AssetNumbers, of grant: GrantState) -> [AssetNumber] {
    let forgotten = grant.away.members.filter(numbers.contains)
    for number in forgotten { grant.away.remove(number) }
    return forgotten
  }

  /// The stored bytes of one chunk of a grant's selection, with its missing assets; empty if there
  /// are none.
  func storedChunk(_ chunk: UInt32, of grant: GrantState, with coming: [AssetNumber] = []) -> [UInt8] {
    catalogue.encode(grant.planned, chunk: chunk, with: coming, and: grant.away) ?? []
  }
}
