extension Schema {
  /// What it takes to undo a decision that belongs to no library.
  static let undo = """
    CREATE TABLE wider_decision_changes (
      decision INTEGER PRIMARY KEY,
      library INTEGER REFERENCES libraries ON DELETE CASCADE,
      change BLOB NOT NULL
    ) STRICT;
    INSERT INTO wider_decision_changes SELECT decision, library, change FROM decision_changes;
    DROP TABLE decision_changes;
    ALTER TABLE wider_decision_changes RENAME TO decision_changes;
    CREATE INDEX decision_changes_by_library ON decision_changes (library, decision);
    """
}
