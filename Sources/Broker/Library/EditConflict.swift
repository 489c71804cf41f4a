package import Catalogue
package import PhotoModel

/// What an asset's changed file says otherwise than what was edited through the broker. The edit
/// stays until the owner decides.
package struct EditConflict: Sendable, Hashable {
  /// The fields that differ.
  package var fields: EditedFields = []
  /// The file's date and where it is from, where it differs.
  package var creationDate: Timestamp?
  package var dateOrigin: DateOrigin?
  /// The file's place, where it differs.
  package var location: GeoPoint?
  /// The file's caption, where it differs.
  package var caption: String?
  /// The owner kept the edit: nothing to report for as long as the file says the same.
  package var isSettled = false

  /// - Parameter file: With what the file says in its row, and all edited fields, the edited caption among them.
  /// - Parameter caption: What the file says.
  /// - Returns: Nil where they agree.
  init?(known: AssetRow, file: AssetRecord, caption: String?) {
    if file.edited.contains(.creationDate), let date = file.row.creationDate, date != known.creationDate {
      fields.insert(.creationDate)
      (creationDate, dateOrigin) = (date, file.row.dateOrigin)
    }
    if file.edited.contains(.location), let place = file.row.location, place != known.location {
      fields.insert(.location)
      location = place
    }
    if file.edited.contains(.caption), let caption, caption != file.caption {
      fields.insert(.caption)
      self.caption = caption
    }
    if fields.isEmpty { return nil }
  }

  package init(
    fields: EditedFields, creationDate: Timestamp?, dateOrigin: DateOrigin?, location: GeoPoint?, caption: String?,
    isSettled: Bool
  ) {
    self.fields = fields
    self.creationDate = creationDate
    self.dateOrigin = dateOrigin
    self.location = location
    self.caption = caption
    self.isSettled = isSettled
  }

  /// The same, once the owner kept the edit.
  var settled: EditConflict {
    var result = self
    result.isSettled = true
    return result
  }

  /// The same, as it was left by the owner before where the file says what it said then.
  func following(_ before: EditConflict?) -> EditConflict { before == settled ? settled : self }
}

/// A conflict that the owner has yet to decide, with what holds until then.
package struct OpenConflict: Sendable {
  /// With the date and the place as edited.
  package let row: AssetRow
  package let conflict: EditConflict
  /// The caption as edited; nil where the file does not contradict it.
  package let caption: String?
}
