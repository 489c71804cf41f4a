extension Schema {
  /// What apps said of themselves in the questions that were answered, with the decision and with
  /// the grant whose level it is. Earlier answers have no words. Of a library that is gone they
  /// stay as its decisions do.
  static let words = """
    CREATE TABLE decision_words (
      decision INTEGER PRIMARY KEY REFERENCES decisions ON DELETE CASCADE,
      library INTEGER NOT NULL,
      words BLOB NOT NULL
    ) STRICT;
    CREATE INDEX decision_words_by_library ON decision_words (library, decision);
    ALTER TABLE grants ADD COLUMN agreement BLOB;
    """
}
