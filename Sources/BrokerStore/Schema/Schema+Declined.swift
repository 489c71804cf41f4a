extension Schema {
  /// Users who declined what was offered to them; independent of the offer, which may come again.
  static let declined = """
    CREATE TABLE library_declined (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      uid INTEGER NOT NULL,
      PRIMARY KEY (library, uid)
    ) STRICT, WITHOUT ROWID;
    """
}
