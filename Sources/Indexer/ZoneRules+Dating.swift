import Catalogue
import Limits
import PhotoModel

extension ZoneRules {
  /// The row with its date by these rules, if its files have only a local time, or with its shift,
  /// if its offset is that of a place; nil if it is the same.
  func redating(_ row: AssetRow) -> AssetRow? {
    guard let shift = shift(of: row), let former = row.zoneMinutes else { return nil }
    var dated = row
    if row.dateOrigin?.isInLibraryZone == true {
      dated.creationDate = row.creationDate?.advanced(by: .seconds(Int64(shift) * 60))
      dated.zoneMinutes = former &- shift
    } else {
      dated.placeShiftMinutes = shift
    }
    return dated == row ? nil : dated
  }

  /// Minutes from a row's date to the one that these rules give to its local time. Nil if they do
  /// not concern the row, or give a date outside of all calendars.
  func shift(of row: AssetRow) -> Int16? {
    guard let origin = row.dateOrigin, origin.isInLibraryZone || origin.isOfPlace, let date = row.creationDate,
      let former = row.zoneMinutes
    else { return nil }
    let microseconds = date.microseconds
    let seconds = (microseconds - (microseconds < 0 ? 999_999 : 0)) / 1_000_000
    let shift = Int64(former) - Int64(offsetMinutes(atLocal: seconds + Int64(former) * 60))
    let shifted = date.advanced(by: .seconds(shift * 60))
    return ServiceLimits.dates.contains(shifted.microseconds) ? Int16(exactly: shift) : nil
  }
}
