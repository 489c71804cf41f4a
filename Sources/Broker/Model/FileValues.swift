package import Catalogue
package import PhotoModel

/// Values of a changed file for fields that were edited through the broker. The edits hold.
package struct FileValues: Sendable, Hashable {
  package var creationDate: Timestamp?
  package var location: GeoPoint?
  package var caption: String?

  package init(creationDate: Timestamp? = nil, location: GeoPoint? = nil, caption: String? = nil) {
    self.creationDate = creationDate
    self.location = location
    self.caption = caption
  }

  /// - Parameters:
  ///   - file: a record with the file's date and place, and with all edited fields.
  ///   - caption: the file's.
  init(of file: AssetRecord, caption: String?) {
    if file.edited.contains(.creationDate) { creationDate = file.row.creationDate }
    if file.edited.contains(.location) { location = file.row.location }
    if file.edited.contains(.caption) { self.caption = caption }
  }

  /// The values that are not the asset's.
  package func differing(from row: AssetRow, caption edited: String?) -> Self {
    Self(
      creationDate: creationDate == row.creationDate ? nil : creationDate,
      location: location == row.location ? nil : location, caption: caption == edited ? nil : caption)
  }
}
