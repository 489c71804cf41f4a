extension Schema {
  /// How a library uses plugins beside its storage. Options of its cloud mapping have no plugin's
  /// name: it has one mapping.
  static let plugins = """
    ALTER TABLE libraries ADD COLUMN cloud_mapping TEXT;
    CREATE TABLE library_plugin_options (
      library INTEGER NOT NULL REFERENCES libraries ON DELETE CASCADE,
      protocol TEXT NOT NULL,
      plugin TEXT NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (library, protocol, plugin, name)
    ) STRICT, WITHOUT ROWID;
    """
}
