extension Schema {
  /// Whether apps may delete assets is each library's owners' to say.
  static let deleting = "ALTER TABLE libraries ADD COLUMN apps_delete INTEGER NOT NULL DEFAULT 1;"
}
