extension Schema {
  /// What it takes to bound decisions by who made them: those that apps and users entered by
  /// themselves in a library, those of libraries that are gone, which have the number 0 from here
  /// on, and those that belong to none, which have -1.
  static let piles = """
    UPDATE decisions SET library_number = CASE library WHEN '' THEN -1 ELSE 0 END
      WHERE library_number IS NULL OR library_number NOT IN (SELECT id FROM libraries);
    CREATE INDEX decisions_by_others ON decisions (library_number, actor, role, id, app) WHERE role IN ('app', 'user');
    CREATE INDEX decisions_unattached ON decisions (library_number, actor, id) WHERE library_number <= 0;
    """
}
