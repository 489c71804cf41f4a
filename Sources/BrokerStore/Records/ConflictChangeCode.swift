import Broker
import Catalogue
import PhotoModel

/// A ``ConflictChange`` as part of a blob; see ``DecisionChangeCode``: whether conflicts were
/// opened; how many; of each asset its number, the fields that differed, what the file said, and
/// where that was taken, 1 and what had been edited, else 0. What is said is each a date with where
/// it is from, a place and a caption, each 0 for none, or 1 and it.
enum ConflictChangeCode {
  static func encode(_ change: ConflictChange, to writer: inout ByteWriter) {
    writer.put(change.areOpened ? 1 : 0)
    writer.putCompact(UInt64(change.items.count))
    for item in change.items {
      let conflict = item.conflict
      writer.putCompact(UInt64(item.asset.rawValue))
      writer.put(conflict.fields.rawValue)
      put(conflict.creationDate, conflict.dateOrigin, conflict.location, conflict.caption, &writer)
      writer.put(item.edit == nil ? 0 : 1)
      if let edit = item.edit { put(edit.creationDate, edit.dateOrigin, edit.location, edit.caption, &writer) }
    }
  }

  static func decode(_ reader: inout ByteReader) -> ConflictChange? {
    guard let areOpened = reader.byte(), areOpened < 2, let count = reader.count(ofAtLeast: 8) else { return nil }
    var change = ConflictChange(items: [], areOpened: areOpened == 1)
    for _ in 0..<count {
      guard let item = item(&reader) else { return nil }
      change.items.append(item)
    }
    return change
  }

  private static func item(_ reader: inout ByteReader) -> ConflictChange.Item? {
    guard let number = reader.compact().flatMap(UInt32.init(exactly:)), let fields = reader.byte(),
      let file = said(&reader),
      let hasEdit = reader.byte(), hasEdit < 2
    else { return nil }
    var edit: ConflictChange.Edit?
    if hasEdit == 1 {
      guard let known = said(&reader) else { return nil }
      edit = known
    }
    let conflict = EditConflict(
      fields: EditedFields(rawValue: fields), creationDate: file.creationDate, dateOrigin: file.dateOrigin,
      location: file.location,
      caption: file.caption, isSettled: false)
    return ConflictChange.Item(asset: AssetNumber(number), conflict: conflict, edit: edit)
  }

  private static func put(
    _ date: Timestamp?, _ origin: DateOrigin?, _ place: GeoPoint?, _ caption: String?, _ writer: inout ByteWriter
  ) {
    writer.put(optional: date?.microseconds)
    writer.put(optional: origin?.storedNumber)
    writer.put(optional: place.map { Int64($0.latitudeE7) })
    writer.put(optional: place.map { Int64($0.longitudeE7) })
    writer.put(optional: caption)
  }

  private static func said(_ reader: inout ByteReader) -> ConflictChange.Edit? {
    guard let date = reader.optionalSigned(), let origin = reader.optionalSigned(),
      let latitude = reader.optionalSigned(),
      let longitude = reader.optionalSigned(), let caption = reader.optionalText()
    else { return nil }
    var place: GeoPoint?
    if let latitude = latitude.value, let longitude = longitude.value {
      guard let north = Int32(exactly: latitude), let east = Int32(exactly: longitude) else { return nil }
      place = GeoPoint(latitudeE7: north, longitudeE7: east)
    }
    return ConflictChange.Edit(
      creationDate: date.value.map { Timestamp(microseconds: $0) },
      dateOrigin: origin.value.flatMap { DateOrigin(storedNumber: $0) }, location: place, caption: caption.value)
  }
}
