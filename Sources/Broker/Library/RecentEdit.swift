/// What was edited of one asset since the library was loaded.
struct RecentEdit {
  var fields: EditedFields = []
  /// The caption that was given; the catalogue holds none. Nil: it was not edited.
  var caption: String?
}
