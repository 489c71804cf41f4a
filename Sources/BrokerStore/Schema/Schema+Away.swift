extension Schema {
  /// Assets whose files are gone and may be back. Their rows, and those of their files and
  /// conflicts, are where they were, under keys with the other sign: whoever reads a library's
  /// assets by their keys finds none of them, and whoever adds a column has it here as well.
  static let away = """
    CREATE TABLE away_assets (
      asset INTEGER PRIMARY KEY,
      library INTEGER NOT NULL,
      since INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX away_by_time ON away_assets (library, since);
    CREATE INDEX away_by_place ON resources (locator) WHERE asset < 0;
    """
}
