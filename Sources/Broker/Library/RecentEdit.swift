/// Edits of one asset since the start.
struct RecentEdit {
  var fields: EditedFields = []
  /// The edited caption, which the catalogue does not have. Nil: not edited.
  var caption: String?

  /// Ends edits, so that the file's values count again.
  mutating func remove(_ ended: EditedFields) {
    fields.subtract(ended)
    if ended.contains(.caption) { caption = nil }
  }
}
