extension Schema {
  /// Users who said yes to what was offered to them, and co-owners who said yes to being one.
  ///
  /// Of what was there before, that counts as accepted which an administrator owns, which its user
  /// accepted by name, decided in, or has an app in that was given access and was not brought there
  /// by somebody else.
  static let accepted = """
    CREATE TABLE library_accepted (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      uid INTEGER NOT NULL,
      PRIMARY KEY (library, uid)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE library_joined (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      uid INTEGER NOT NULL,
      PRIMARY KEY (library, uid)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO library_accepted SELECT users.library, users.uid FROM library_users AS users
      WHERE EXISTS (
          SELECT 1 FROM libraries LEFT JOIN settings ON settings.name = 'administrators'
          WHERE libraries.id = users.library
            AND (libraries.owner = 0 OR instr(',' || settings.value || ',', ',' || libraries.owner || ',') > 0))
        OR EXISTS (
          SELECT 1 FROM decisions WHERE library_number = users.library AND actor = users.uid AND role = 'user' AND action = 'accept')
        OR EXISTS (
          SELECT 1 FROM grants JOIN apps ON apps.identifier = grants.app
          WHERE grants.library = users.library AND apps.uid = users.uid AND apps.registrar IS NULL AND grants.status IN (3, 4));
    INSERT INTO library_joined SELECT owners.library, owners.uid FROM library_owners AS owners
      WHERE EXISTS (
          SELECT 1 FROM libraries LEFT JOIN settings ON settings.name = 'administrators'
          WHERE libraries.id = owners.library
            AND (libraries.owner = 0 OR instr(',' || settings.value || ',', ',' || libraries.owner || ',') > 0))
        OR EXISTS (
          SELECT 1 FROM decisions WHERE library_number = owners.library AND actor = owners.uid AND role = 'owner');
    """
}
