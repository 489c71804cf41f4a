extension Schema {
  /// Which app deleted what is in the trash, and when; of what was deleted before that is not known.
  static let deletions = """
    CREATE TABLE deletions (
      asset INTEGER PRIMARY KEY,
      app BLOB NOT NULL,
      time INTEGER NOT NULL
    ) STRICT;
    """
}
