extension Schema {
  /// What apps called themselves that somebody removed, the latest of each user: ledgers and decisions name them still.
  static let formerApps = """
    CREATE TABLE former_apps (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      app BLOB NOT NULL UNIQUE,
      claimed TEXT NOT NULL,
      uid INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX former_apps_by_user ON former_apps (uid, id);
    """
}
