extension Schema {
  /// Files that left what is hidden or never shared. Each is looked for by whatever a file is known
  /// by, those that are missing first.
  static let parted = """
    CREATE TABLE parted_files (
      library INTEGER NOT NULL,
      number INTEGER NOT NULL,
      asset INTEGER,
      marks INTEGER NOT NULL,
      place TEXT,
      file_name TEXT NOT NULL,
      size INTEGER NOT NULL,
      identity_hint TEXT,
      hash TEXT,
      digest BLOB,
      ends_digest BLOB,
      is_missing INTEGER NOT NULL,
      place_ends INTEGER,
      PRIMARY KEY (library, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX parted_by_place ON parted_files (library, place, is_missing) WHERE place IS NOT NULL;
    CREATE INDEX parted_by_name ON parted_files (library, file_name, size, is_missing);
    CREATE INDEX parted_by_hint ON parted_files (library, identity_hint, is_missing) WHERE identity_hint IS NOT NULL;
    CREATE INDEX parted_by_hash ON parted_files (library, hash, size, is_missing) WHERE hash IS NOT NULL;
    CREATE INDEX parted_by_digest ON parted_files (library, digest, size, is_missing) WHERE digest IS NOT NULL;
    CREATE INDEX parted_by_ends ON parted_files (library, ends_digest, size, is_missing) WHERE ends_digest IS NOT NULL;
    CREATE INDEX parted_by_end ON parted_files (library, place_ends) WHERE is_missing = 0;
    """
}
