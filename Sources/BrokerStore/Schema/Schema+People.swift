extension Schema {
  /// Co-owners, what owners let administrators do, rules, where each grant came from, and decisions
  /// that can be undone. A decision belongs to its library's number, which no other library of the
  /// same name ever gets; what it takes to undo one goes with the library.
  static let people = """
    ALTER TABLE libraries ADD COLUMN administrators_see INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE libraries ADD COLUMN administrators_decide INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE library_owners (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      uid INTEGER NOT NULL,
      PRIMARY KEY (library, uid)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rules (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      name TEXT NOT NULL,
      record BLOB NOT NULL,
      PRIMARY KEY (library, name)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE grants ADD COLUMN source TEXT NOT NULL DEFAULT 'settings';
    ALTER TABLE grants ADD COLUMN decider INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE grants ADD COLUMN origin TEXT NOT NULL DEFAULT '';
    ALTER TABLE decisions ADD COLUMN source TEXT NOT NULL DEFAULT 'settings';
    ALTER TABLE decisions ADD COLUMN undoes INTEGER;
    ALTER TABLE decisions ADD COLUMN library_number INTEGER;
    UPDATE decisions SET library_number = (SELECT id FROM libraries WHERE libraries.name = decisions.library);
    DROP INDEX decisions_by_library;
    CREATE INDEX decisions_by_library ON decisions (library_number, id);
    CREATE TABLE decision_changes (
      decision INTEGER PRIMARY KEY,
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      change BLOB NOT NULL
    ) STRICT;
    CREATE INDEX decision_changes_by_library ON decision_changes (library, decision);
    """
}
