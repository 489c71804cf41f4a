extension Schema {
  /// Who paused a grant, and who set its end. What was there before reads as until now: by who decided last.
  static let deciders = """
    ALTER TABLE grants ADD COLUMN paused_by TEXT;
    ALTER TABLE grants ADD COLUMN end_set_by TEXT;
    UPDATE grants SET paused_by = role WHERE is_paused;
    UPDATE grants SET end_set_by = role WHERE expires IS NOT NULL;
    """
}
