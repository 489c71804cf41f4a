package import Catalogue
package import PhotoModel

/// The fields of an asset that apps edit, in a decision.
package struct AssetValues: Sendable, Equatable {
  /// A date with its source, as in ``AssetRow``.
  package struct Date: Sendable, Equatable {
    package var creation: Timestamp?
    package var origin: DateOrigin?
    package var zoneMinutes: Int16?
    package var placeShiftMinutes: Int16

    package init(creation: Timestamp?, origin: DateOrigin?, zoneMinutes: Int16?, placeShiftMinutes: Int16) {
      (self.creation, self.origin) = (creation, origin)
      (self.zoneMinutes, self.placeShiftMinutes) = (zoneMinutes, placeShiftMinutes)
    }

    /// An edited date says nothing about the time zone of the photo.
    static func edited(_ date: Timestamp) -> Self {
      Self(creation: date, origin: .edited, zoneMinutes: nil, placeShiftMinutes: 0)
    }
  }

  package var asset: AssetNumber
  package var isFavourite: Bool
  package var date: Date
  package var location: GeoPoint?
  /// Empty: none. Nil: the decision did not set it.
  package var caption: String?

  package init(asset: AssetNumber, isFavourite: Bool, date: Date, location: GeoPoint?, caption: String?) {
    (self.asset, self.isFavourite, self.date) = (asset, isFavourite, date)
    (self.location, self.caption) = (location, caption)
  }

  init(_ row: AssetRow, caption: String?) {
    self.init(
      asset: row.number, isFavourite: row.flags.contains(.favourite),
      date: Date(
        creation: row.creationDate, origin: row.dateOrigin, zoneMinutes: row.zoneMinutes,
        placeShiftMinutes: row.placeShiftMinutes),
      location: row.location, caption: caption)
  }

  /// Sets the fields of a row, which has no caption.
  func set(_ row: inout AssetRow) {
    row.setFavourite(isFavourite)
    (row.creationDate, row.dateOrigin) = (date.creation, date.origin)
    (row.zoneMinutes, row.placeShiftMinutes) = (date.zoneMinutes, date.placeShiftMinutes)
    row.location = location
  }
}

extension AssetValues: DecidedObject {
  static var fields: [DecidedField<Self>] {
    [
      DecidedField(\.isFavourite) { _ in Reason(.favouriteMoved, "its favourite mark was changed") },
      DecidedField(\.date) { _ in Reason(.dateMoved, "it has another date") },
      DecidedField(\.location) { _ in Reason(.placeMoved, "it has another place") },
      DecidedField(\.caption) { _ in Reason(.captionMoved, "it has another caption") },
    ]
  }
}

extension ValueChange<AssetValues> {
  /// The fields that the change sets.
  package var edited: EditedFields {
    var fields: EditedFields = []
    if before.isFavourite != after.isFavourite { fields.insert(.favourite) }
    if before.date != after.date { fields.insert(.creationDate) }
    if before.location != after.location { fields.insert(.location) }
    if before.caption != after.caption { fields.insert(.caption) }
    return fields
  }
}
