import Catalogue
import PhotoModel

extension ZoneRules {
  /// The date by these rules of an asset whose files have only a local time; nil if it is the same.
  func redating(_ row: AssetRow) -> (date: Timestamp, zoneMinutes: Int16)? {
    guard row.dateOrigin?.isInLibraryZone == true, let date = row.creationDate, let former = row.zoneMinutes else {
      return nil
    }
    let microseconds = date.microseconds
    let seconds = (microseconds - (microseconds < 0 ? 999_999 : 0)) / 1_000_000
    let offset = offsetMinutes(atLocal: seconds + Int64(former) * 60)
    guard offset != Int32(former), let minutes = Int16(exactly: offset) else { return nil }
    return (date.advanced(by: .seconds((Int64(former) - Int64(offset)) * 60)), minutes)
  }
}
