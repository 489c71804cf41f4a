import Catalogue
package import PhotoModel

/// What was decided meanwhile between the edits and the file of an asset that is away (``AwayAsset``).
package struct ConflictOfAway: Sendable, Equatable {
  /// What its file says against its edits from now on.
  package let conflict: EditConflict?
  /// The fields of which something else holds from now on.
  package let fields: EditedFields
  /// What holds of these.
  package let values: ConflictChange.Edit
  /// Whether these are edits, or the file's.
  package let areEdited: Bool
  package let time: Timestamp

  package init(
    conflict: EditConflict?, fields: EditedFields, values: ConflictChange.Edit, areEdited: Bool, time: Timestamp
  ) {
    (self.conflict, self.fields, self.values, self.areEdited, self.time) = (conflict, fields, values, areEdited, time)
  }

  /// The edit stays, or it is open again whether it does.
  init(_ conflict: EditConflict, time: Timestamp) {
    let nothing = ConflictChange.Edit(creationDate: nil, dateOrigin: nil, location: nil, caption: nil)
    self.init(conflict: conflict, fields: [], values: nothing, areEdited: true, time: time)
  }

  /// What the file says holds.
  init(taking conflict: EditConflict, time: Timestamp) {
    let values = ConflictChange.Edit(
      creationDate: conflict.creationDate, dateOrigin: conflict.dateOrigin, location: conflict.location,
      caption: conflict.caption)
    self.init(conflict: nil, fields: conflict.fields, values: values, areEdited: false, time: time)
  }

  /// What was edited holds again, and whether it does is open.
  init(_ conflict: EditConflict, puttingBack edit: ConflictChange.Edit, time: Timestamp) {
    self.init(conflict: conflict, fields: conflict.fields, values: edit, areEdited: true, time: time)
  }

  package func applied(to asset: AwayAsset) -> AwayAsset {
    var record = asset.record
    if fields.contains(.creationDate) {
      (record.row.creationDate, record.row.dateOrigin) = (values.creationDate, values.dateOrigin)
    }
    if fields.contains(.location) { record.row.location = values.location }
    if fields.contains(.caption) { record.caption = values.caption }
    if areEdited { record.edited.formUnion(fields) } else { record.edited.subtract(fields) }
    if !fields.isEmpty {
      record.row.modificationDate = max(record.row.modificationDate, time)
      record.row.version &+= 1
    }
    return AwayAsset(record: record, conflict: conflict, since: asset.since)
  }
}
