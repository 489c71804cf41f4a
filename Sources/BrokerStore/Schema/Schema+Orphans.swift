extension Schema {
  /// Selections of grants that are gone, which a decision that was undone could leave; the next one
  /// would have found them.
  static let orphans = """
    DELETE FROM selections WHERE NOT EXISTS (
      SELECT 1 FROM grants
      WHERE grants.library = selections.library AND grants.app = selections.app AND grants.level = selections.level);
    """
}
