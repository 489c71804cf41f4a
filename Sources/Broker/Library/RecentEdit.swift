/// Edits of one asset since the start.
struct RecentEdit {
  var fields: EditedFields = []
  /// The edited caption, which the catalogue does not have. Nil: not edited.
  var caption: String?
}
