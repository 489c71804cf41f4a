extension Schema {
  /// Users who declined being a co-owner, apart from what they said for their programs.
  ///
  /// Of what was there before, who declined had declined both; and who was a co-owner had said yes
  /// for their programs too.
  static let refused = """
    CREATE TABLE library_refused (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      uid INTEGER NOT NULL,
      PRIMARY KEY (library, uid)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO library_refused SELECT library, uid FROM library_declined;
    INSERT OR IGNORE INTO library_accepted SELECT users.library, users.uid FROM library_users AS users
      JOIN library_joined AS joined ON joined.library = users.library AND joined.uid = users.uid;
    """
}
