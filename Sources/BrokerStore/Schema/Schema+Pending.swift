extension Schema {
  /// What waits for the owner or for the storage: files that contradict edits, and deleted assets
  /// that are not in the trash yet.
  static let pending = """
    CREATE TABLE conflicts (
      asset INTEGER PRIMARY KEY,
      fields INTEGER NOT NULL,
      created INTEGER,
      date_origin INTEGER,
      latitude INTEGER,
      longitude INTEGER,
      caption TEXT,
      settled INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE awaiting_trash (asset INTEGER PRIMARY KEY) STRICT;
    """
}
