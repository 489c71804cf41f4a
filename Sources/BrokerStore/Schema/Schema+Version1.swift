extension Schema {
  /// Identifiers are 16 bytes. Times are microseconds since 1970. An asset's key is its library's
  /// number times 2^32 plus its own, so that a library is one range. Whatever can be large has no
  /// foreign key: it is erased in small pieces. Decisions stay when their library goes: they say
  /// who did what, and name no photo.
  static let version1 = """
    CREATE TABLE libraries (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL,
      backend TEXT NOT NULL,
      zone_offset INTEGER NOT NULL,
      root_key BLOB NOT NULL,
      next_number INTEGER NOT NULL DEFAULT 0,
      next_sequence INTEGER NOT NULL DEFAULT 1,
      changes_from INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE library_options (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (library, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE library_users (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      uid INTEGER NOT NULL,
      PRIMARY KEY (library, uid)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE erasures (library INTEGER PRIMARY KEY) STRICT;

    CREATE TABLE apps (
      identifier BLOB PRIMARY KEY,
      claimed TEXT NOT NULL,
      display_name TEXT NOT NULL,
      has_screen INTEGER NOT NULL,
      prevents_alert INTEGER NOT NULL,
      uid INTEGER NOT NULL,
      system_identity TEXT,
      executable TEXT,
      is_interpreter INTEGER NOT NULL,
      introduced INTEGER NOT NULL,
      accessor BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE app_texts (
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      purpose TEXT NOT NULL CHECK (purpose IN ('read', 'add')),
      language TEXT NOT NULL,
      words TEXT NOT NULL,
      PRIMARY KEY (app, purpose, language)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE grants (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      level TEXT NOT NULL,
      status INTEGER NOT NULL,
      is_paused INTEGER NOT NULL,
      expires INTEGER,
      album_policy TEXT NOT NULL,
      role TEXT NOT NULL,
      decided INTEGER NOT NULL,
      accessor BLOB NOT NULL,
      epoch INTEGER NOT NULL,
      view_generation INTEGER NOT NULL,
      view_since INTEGER NOT NULL,
      PRIMARY KEY (library, app, level)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX grants_by_app ON grants (app);
    CREATE TABLE selections (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      level TEXT NOT NULL,
      chunk INTEGER NOT NULL,
      members BLOB NOT NULL,
      PRIMARY KEY (library, app, level, chunk)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX selections_by_app ON selections (app);
    CREATE TABLE tokens (
      accessor BLOB PRIMARY KEY,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      library INTEGER REFERENCES libraries ON DELETE CASCADE,
      level TEXT,
      minted INTEGER NOT NULL,
      is_revoked INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tokens_by_app ON tokens (app);
    CREATE INDEX tokens_by_library ON tokens (library);
    CREATE TABLE prompts (
      identifier BLOB PRIMARY KEY,
      kind TEXT NOT NULL,
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      level TEXT NOT NULL,
      asked INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX prompts_by_library ON prompts (library);
    CREATE INDEX prompts_by_app ON prompts (app);
    CREATE TABLE decisions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      actor INTEGER NOT NULL,
      role TEXT NOT NULL,
      origin TEXT NOT NULL,
      action TEXT NOT NULL,
      library TEXT NOT NULL,
      app BLOB NOT NULL,
      level TEXT NOT NULL,
      before TEXT NOT NULL,
      after TEXT NOT NULL
    ) STRICT;
    CREATE INDEX decisions_by_library ON decisions (library);

    CREATE TABLE assets (
      id INTEGER PRIMARY KEY,
      identifier BLOB NOT NULL,
      created INTEGER,
      date_origin INTEGER,
      added INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      media_type INTEGER NOT NULL,
      subtypes INTEGER NOT NULL,
      flags INTEGER NOT NULL,
      width INTEGER NOT NULL,
      height INTEGER NOT NULL,
      duration INTEGER NOT NULL,
      latitude INTEGER,
      longitude INTEGER,
      place INTEGER,
      version INTEGER NOT NULL,
      file_name TEXT NOT NULL,
      creator BLOB,
      edited INTEGER NOT NULL,
      caption TEXT,
      camera TEXT,
      live_photo TEXT,
      burst TEXT
    ) STRICT;
    CREATE TABLE resources (
      asset INTEGER NOT NULL,
      place INTEGER NOT NULL,
      role TEXT NOT NULL,
      locator TEXT NOT NULL,
      file_name TEXT NOT NULL,
      content_type TEXT NOT NULL,
      size INTEGER NOT NULL,
      content_version TEXT NOT NULL,
      identity_hint TEXT,
      digest BLOB,
      PRIMARY KEY (asset, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE albums (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      identifier BLOB NOT NULL,
      title TEXT NOT NULL,
      creator BLOB,
      source TEXT NOT NULL,
      created INTEGER NOT NULL,
      members BLOB NOT NULL,
      PRIMARY KEY (library, identifier)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE changes (
      library INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      records BLOB NOT NULL,
      PRIMARY KEY (library, first)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE ledgers (
      library INTEGER PRIMARY KEY REFERENCES libraries ON DELETE CASCADE,
      next_entry INTEGER NOT NULL,
      anchor BLOB NOT NULL,
      head BLOB NOT NULL
    ) STRICT;
    CREATE TABLE ledger_blocks (
      library INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      head BLOB NOT NULL,
      entries BLOB NOT NULL,
      PRIMARY KEY (library, first)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE deliveries (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL,
      assets INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (library, app)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE delivered_assets (
      library INTEGER NOT NULL,
      app BLOB NOT NULL,
      asset BLOB NOT NULL,
      PRIMARY KEY (library, app, asset)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE run (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      ended_cleanly INTEGER NOT NULL,
      floor_inode INTEGER NOT NULL,
      floor_born INTEGER NOT NULL
    ) STRICT;
    """
}
