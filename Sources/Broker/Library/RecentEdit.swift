/// What was edited of one asset since the library was loaded.
struct RecentEdit {
  var fields: EditedFields = []
  /// The caption that was given; the catalogue holds none. Nil: it was not edited.
  var caption: String?

  /// The file decides about these again.
  mutating func remove(_ ended: EditedFields) {
    fields.subtract(ended)
    if ended.contains(.caption) { caption = nil }
  }
}
