extension Schema {
  /// A path's folder with its slash: the rest once everything after the last slash is cut off.
  static let folderOfLocator = "rtrim(locator, replace(locator, '/', ''))"

  /// Whether a decision changed one asset, as the index of these has it.
  static let isOfAsset = "after >= 'asset ' AND after < 'asset!'"

  /// Identifiers are 16 bytes. Times are microseconds since 1970. An asset's key is its library's number times 2^32
  /// plus its own, so that a library is one range of keys. A table that can be large has no foreign key: its rows are
  /// erased in small pieces.
  static let tables = """
    -- Libraries, and the users who may know of them.
    CREATE TABLE libraries (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL,
      backend TEXT NOT NULL,
      zone_offset INTEGER NOT NULL,
      zone_name TEXT,
      root_key BLOB NOT NULL,
      administrators_see INTEGER NOT NULL,
      administrators_decide INTEGER NOT NULL,
      cloud_mapping TEXT,
      shares_originals INTEGER NOT NULL,
      apps_delete INTEGER NOT NULL,
      default_terms BLOB NOT NULL,
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
    -- A library has one cloud mapping, so its options have no plugin's name.
    CREATE TABLE library_plugin_options (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      protocol TEXT NOT NULL,
      plugin TEXT NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (library, protocol, plugin, name)
    ) STRICT, WITHOUT ROWID;
    -- Offers to users and co-owners, and their answers; an answer stays when the offer is withdrawn.
    CREATE TABLE library_invitations (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      role TEXT NOT NULL CHECK (role IN ('user', 'coOwner')),
      uid INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('declined', 'offered', 'accepted')),
      is_open INTEGER NOT NULL,
      PRIMARY KEY (library, role, uid)
    ) STRICT, WITHOUT ROWID;
    -- Removed libraries with rows that are still to be erased.
    CREATE TABLE erasures (library INTEGER PRIMARY KEY) STRICT;

    -- Apps, grants and tokens.
    CREATE TABLE apps (
      identifier BLOB PRIMARY KEY,
      claimed TEXT NOT NULL,
      display_name TEXT NOT NULL,
      has_screen INTEGER NOT NULL,
      prevents_alert INTEGER NOT NULL,
      is_read_only INTEGER NOT NULL,
      uid INTEGER NOT NULL,
      registrar INTEGER,
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
    -- The claimed names of removed apps, the latest of each user: ledgers and decisions name them still.
    CREATE TABLE former_apps (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      app BLOB NOT NULL UNIQUE,
      claimed TEXT NOT NULL,
      uid INTEGER NOT NULL,
      others INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX former_apps_by_user ON former_apps (uid, others, id);
    CREATE TABLE grants (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      level TEXT NOT NULL,
      status INTEGER NOT NULL,
      is_paused INTEGER NOT NULL,
      paused_by TEXT,
      expires INTEGER,
      is_once INTEGER NOT NULL,
      end_set_by TEXT,
      album_policy TEXT NOT NULL,
      role TEXT NOT NULL,
      decided INTEGER NOT NULL,
      decider INTEGER NOT NULL,
      source TEXT NOT NULL,
      origin TEXT NOT NULL,
      accessor BLOB NOT NULL,
      epoch INTEGER NOT NULL,
      view_generation INTEGER NOT NULL,
      view_since INTEGER NOT NULL,
      agreement BLOB,
      terms BLOB NOT NULL,
      live BLOB,
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
    -- The changes that a grant saw and the log has forgotten.
    CREATE TABLE views (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      level TEXT NOT NULL,
      generation INTEGER NOT NULL,
      earlier INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      seen BLOB NOT NULL,
      PRIMARY KEY (library, app, level)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX views_by_app ON views (app);
    CREATE TABLE tokens (
      accessor BLOB PRIMARY KEY,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      library INTEGER REFERENCES libraries ON DELETE CASCADE,
      level TEXT,
      minted INTEGER NOT NULL,
      is_revoked INTEGER NOT NULL,
      -- Of a child token alone: its grant's token, and its own name, user and end.
      parent BLOB,
      name TEXT,
      uid INTEGER,
      ends INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tokens_by_app ON tokens (app);
    CREATE INDEX tokens_by_library ON tokens (library);
    CREATE TABLE token_budgets (
      accessor BLOB NOT NULL REFERENCES tokens ON DELETE CASCADE,
      key BLOB NOT NULL,
      taken INTEGER NOT NULL,
      PRIMARY KEY (accessor, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE prompts (
      identifier BLOB PRIMARY KEY,
      kind TEXT NOT NULL,
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL REFERENCES apps ON DELETE CASCADE,
      level TEXT NOT NULL,
      asked INTEGER NOT NULL,
      exceeded TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX prompts_by_library ON prompts (library);
    CREATE INDEX prompts_by_app ON prompts (app);
    -- Photos that pickers gave to an app. An app that goes is forgotten here when its row is deleted.
    CREATE TABLE picker_uses (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      app BLOB NOT NULL,
      times INTEGER NOT NULL,
      assets INTEGER NOT NULL,
      last INTEGER NOT NULL,
      PRIMARY KEY (library, app)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rules (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      name TEXT NOT NULL,
      record BLOB NOT NULL,
      PRIMARY KEY (library, name)
    ) STRICT, WITHOUT ROWID;

    -- Decisions. They stay when their library goes: they say who did what, and name no photo. The library's number is
    -- 0 for one that is gone, and -1 for a decision that belongs to none; no later library gets the number of another.
    -- The subject is the user whose apps brought a decision about that neither an owner nor an administrator entered.
    CREATE TABLE decisions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      actor INTEGER NOT NULL,
      role TEXT NOT NULL,
      source TEXT NOT NULL,
      origin TEXT NOT NULL,
      action TEXT NOT NULL,
      library TEXT NOT NULL,
      library_number INTEGER NOT NULL,
      app BLOB NOT NULL,
      level TEXT NOT NULL,
      before TEXT NOT NULL,
      after TEXT NOT NULL,
      undoes INTEGER,
      subject INTEGER
    ) STRICT;
    CREATE INDEX decisions_by_library ON decisions (library_number, id);
    CREATE INDEX decisions_by_others ON decisions (library_number, actor, role, subject, id, app)
      WHERE role IN ('app', 'user', 'rule');
    CREATE INDEX decisions_by_asset ON decisions (after) WHERE \(isOfAsset);
    CREATE INDEX decisions_unattached ON decisions (library_number, actor, id) WHERE library_number <= 0;
    -- Undo information; it goes with the library. The assets are apart, since a list of decisions leaves them out.
    -- takes: 1 for takings of apps from albums of others, 2 for apps' changes of assets and of their own albums, 3 for
    -- large ones of these. Each is counted apart.
    CREATE TABLE decision_changes (
      decision INTEGER PRIMARY KEY,
      library INTEGER REFERENCES libraries ON DELETE CASCADE,
      change BLOB NOT NULL,
      assets BLOB NOT NULL,
      takes INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX decision_changes_by_library ON decision_changes (library, decision);
    CREATE INDEX decision_changes_taking ON decision_changes (library, decision) WHERE takes > 0;
    -- The words of an app in the question that was answered.
    CREATE TABLE decision_words (
      decision INTEGER PRIMARY KEY REFERENCES decisions ON DELETE CASCADE,
      library INTEGER NOT NULL,
      words BLOB NOT NULL
    ) STRICT;
    CREATE INDEX decision_words_by_library ON decision_words (library, decision);

    -- Assets and albums. The rows of a missing asset and of its files stay, under keys with the other sign.
    CREATE TABLE assets (
      id INTEGER PRIMARY KEY,
      identifier BLOB NOT NULL,
      created INTEGER,
      date_origin INTEGER,
      place_shift INTEGER NOT NULL DEFAULT 0,
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
      burst TEXT,
      facts_version INTEGER NOT NULL,
      -- Values of a changed file for edited fields.
      file_created INTEGER,
      file_latitude INTEGER,
      file_longitude INTEGER,
      file_caption TEXT
    ) STRICT;
    CREATE INDEX assets_by_creator ON assets (creator) WHERE creator IS NOT NULL;
    CREATE INDEX assets_by_live_photo ON assets (live_photo) WHERE live_photo IS NOT NULL;
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
      ends_digest BLOB,
      picture_digest BLOB,
      captured INTEGER,
      camera TEXT,
      is_missing INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (asset, place)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX resources_by_folder ON resources (\(folderOfLocator));
    CREATE INDEX resources_by_hint ON resources (identity_hint) WHERE identity_hint IS NOT NULL;
    CREATE INDEX missing_by_place ON resources (locator) WHERE is_missing = 1;
    CREATE TABLE missing_assets (asset INTEGER PRIMARY KEY, since INTEGER NOT NULL) STRICT;
    -- Files that left a hidden or never shared asset. They are found by every property of a file.
    CREATE TABLE detached_files (
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
    CREATE INDEX detached_by_place ON detached_files (library, place, is_missing) WHERE place IS NOT NULL;
    CREATE INDEX detached_by_name ON detached_files (library, file_name, size, is_missing);
    CREATE INDEX detached_by_hint ON detached_files (library, identity_hint, is_missing) WHERE identity_hint IS NOT NULL;
    CREATE INDEX detached_by_hash ON detached_files (library, hash, size, is_missing) WHERE hash IS NOT NULL;
    CREATE INDEX detached_by_digest ON detached_files (library, digest, size, is_missing) WHERE digest IS NOT NULL;
    CREATE INDEX detached_by_ends ON detached_files (library, ends_digest, size, is_missing) WHERE ends_digest IS NOT NULL;
    CREATE INDEX detached_by_end ON detached_files (library, place_ends) WHERE is_missing = 0;
    -- Deleted assets that are not in the storage's trash yet, and the apps that deleted assets.
    CREATE TABLE awaiting_trash (asset INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE deletions (
      asset INTEGER PRIMARY KEY,
      app BLOB NOT NULL,
      time INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE albums (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      identifier BLOB NOT NULL,
      title TEXT NOT NULL,
      creator BLOB,
      source TEXT NOT NULL,
      created INTEGER NOT NULL,
      shared INTEGER NOT NULL,
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
    -- The files that hold libraries' catalogues as they are now.
    CREATE TABLE catalogues (
      library INTEGER PRIMARY KEY REFERENCES libraries ON DELETE CASCADE,
      name BLOB NOT NULL,
      bytes INTEGER NOT NULL,
      digest INTEGER NOT NULL
    ) STRICT;

    -- The ledger.
    CREATE TABLE ledgers (
      library INTEGER PRIMARY KEY REFERENCES libraries ON DELETE CASCADE,
      next_entry INTEGER NOT NULL,
      anchor BLOB NOT NULL,
      head BLOB NOT NULL,
      -- Of the other columns, under a key of the library.
      seal BLOB NOT NULL
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
