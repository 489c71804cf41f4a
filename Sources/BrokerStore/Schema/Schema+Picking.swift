extension Schema {
  /// What pickers gave to which app. An app that goes is forgotten here when its row is deleted.
  static let picking = """
    CREATE TABLE picker_uses (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL,
      times INTEGER NOT NULL,
      assets INTEGER NOT NULL,
      last INTEGER NOT NULL,
      PRIMARY KEY (library, app)
    ) STRICT, WITHOUT ROWID;
    """
}
