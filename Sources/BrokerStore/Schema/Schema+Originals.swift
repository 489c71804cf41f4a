extension Schema {
  /// Whether apps get the originals of edited photos too is each library's owners' to say.
  static let originals = "ALTER TABLE libraries ADD COLUMN shares_originals INTEGER NOT NULL DEFAULT 0;"
}
