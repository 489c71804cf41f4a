extension Schema {
  /// What a far file is known by that was not read as a whole.
  static let ends = "ALTER TABLE resources ADD COLUMN ends_digest BLOB;"
}
