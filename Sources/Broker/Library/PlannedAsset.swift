import Catalogue
import PhotoModel

struct PlannedAsset {
  let number: AssetNumber
  let identifier: AssetIdentifier
  let creation: AssetCreation

  /// The asset's record: the facts of its file, overridden by the step's values.
  func record(_ found: AssetRecord, by app: AppIdentifier, now: Timestamp) -> AssetRecord {
    var record = found
    record.row.number = number
    record.row.identifier = identifier
    record.creator = app
    if let favourite = creation.favourite {
      record.row.setFavourite(favourite)
      record.edited.insert(.favourite)
    }
    if let date = creation.creationDate {
      record.row.setCreationDate(date)
      record.edited.insert(.creationDate)
    }
    if let location = creation.location {
      record.row.location = location
      record.edited.insert(.location)
    }
    if let caption = creation.caption {
      record.caption = caption
      record.edited.insert(.caption)
    }
    if !record.edited.isEmpty { record.row.modificationDate = max(record.row.modificationDate, now) }
    return record
  }
}

extension AssetRow {
  mutating func setFavourite(_ isFavourite: Bool) {
    if isFavourite { flags.insert(.favourite) } else { flags.remove(.favourite) }
  }

  mutating func setCreationDate(_ date: Timestamp) {
    let date = AssetValues.Date.edited(date)
    (creationDate, dateOrigin) = (date.creation, date.origin)
    (zoneMinutes, placeShiftMinutes) = (date.zoneMinutes, date.placeShiftMinutes)
  }
}
