import Catalogue

extension AssetRow {
  /// The file's facts, overridden by edits and marks of people and apps.
  func merged(with update: AssetRecord, isReread: Bool) -> AssetRow {
    var row = update.row
    row.identifier = identifier
    row.addedDate = addedDate
    let ofFile: AssetFlags =
      isReread && !update.edited.contains(.favourite) ? [.cloudShared, .favourite] : .cloudShared
    row.flags = flags.subtracting(ofFile).union(row.flags.intersection(ofFile))
    row.modificationDate = max(modificationDate, row.modificationDate)
    row.version = version &+ 1
    if update.edited.contains(.creationDate) {
      row.creationDate = creationDate
      row.dateOrigin = dateOrigin
      row.zoneMinutes = zoneMinutes
      row.placeShiftMinutes = placeShiftMinutes
    }
    if update.edited.contains(.location) { row.location = location }
    return row
  }
}
