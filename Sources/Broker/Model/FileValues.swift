package import Catalogue
package import PhotoModel

/// The values that a changed file has for edited fields. The edits win over them.
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
  ///   - caption: the file's caption.
  init(of file: AssetRecord, caption: String?) {
    if file.edited.contains(.creationDate) { creationDate = file.row.creationDate }
    if file.edited.contains(.location) { location = file.row.location }
    if file.edited.contains(.caption) { self.caption = caption }
  }

  /// The values that differ from the asset's.
  package func differing(from row: AssetRow, caption edited: String?) -> Self {
    Self(
      creationDate: creationDate == row.creationDate ? nil : creationDate,
      location: location == row.location ? nil : location, caption: caption == edited ? nil : caption)
  }
}
