import Catalogue
package import PhotoModel

/// What an asset's changed file says otherwise than what was edited through the broker. The edit stays.
package struct EditConflict: Sendable, Equatable {
  /// The fields that differ.
  package var fields: EditedFields = []
  /// The file's date, where it differs.
  package var creationDate: Timestamp?
  /// The file's place, where it differs.
  package var location: GeoPoint?

  /// - Parameter file: With what the file says in its row, and all edited fields.
  /// - Returns: Nil where they agree.
  init?(known: AssetRow, file: AssetRecord) {
    if file.edited.contains(.creationDate), let date = file.row.creationDate, date != known.creationDate {
      fields.insert(.creationDate)
      creationDate = date
    }
    if file.edited.contains(.location), let place = file.row.location, place != known.location {
      fields.insert(.location)
      location = place
    }
    if fields.isEmpty { return nil }
  }
}
