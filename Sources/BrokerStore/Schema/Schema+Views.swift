extension Schema {
  /// What each grant saw of changes that the log has forgotten.
  static let views = """
    CREATE TABLE views (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      level TEXT NOT NULL,
      generation INTEGER NOT NULL,
      earlier INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      seen BLOB NOT NULL,
      PRIMARY KEY (library, app, level)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX views_by_app ON views (app);
    """
}
