extension Schema {
  /// By which version of the media worker's rules each asset's files were looked into. Of what was
  /// there before, that counts as never looked into which has no size.
  static let facts = """
    ALTER TABLE assets ADD COLUMN facts_version INTEGER NOT NULL DEFAULT 1;
    UPDATE assets SET facts_version = 0 WHERE width = 0;
    """
}
