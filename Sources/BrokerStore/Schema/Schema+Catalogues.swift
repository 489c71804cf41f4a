extension Schema {
  /// Which file holds a library's catalogue as it is now, and what else of the assets is read at every start.
  static let catalogues = """
    CREATE TABLE catalogues (
      library INTEGER PRIMARY KEY REFERENCES libraries ON DELETE CASCADE,
      name BLOB NOT NULL,
      bytes INTEGER NOT NULL,
      digest INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX assets_by_creator ON assets (creator) WHERE creator IS NOT NULL;
    """
}
