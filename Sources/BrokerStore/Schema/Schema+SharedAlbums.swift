extension Schema {
  /// Albums that their owner shares with apps in limited mode.
  static let sharedAlbums = "ALTER TABLE albums ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;"
}
