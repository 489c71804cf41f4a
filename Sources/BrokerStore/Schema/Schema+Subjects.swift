extension Schema {
  /// Whose apps brought a decision about that neither an owner nor an administrator entered: what
  /// rules answered the apps of one user makes no room in what they answered those of another.
  static let subjects = """
    ALTER TABLE decisions ADD COLUMN subject INTEGER;
    UPDATE decisions SET subject = CASE role WHEN 'rule' THEN coalesce(
        (SELECT uid FROM apps WHERE apps.identifier = decisions.app),
        (SELECT uid FROM former_apps WHERE former_apps.app = decisions.app), -1) ELSE actor END
      WHERE role IN ('app', 'user', 'rule');
    DROP INDEX decisions_by_others;
    CREATE INDEX decisions_by_others ON decisions (library_number, actor, role, subject, id, app) WHERE role IN ('app', 'user', 'rule');
    """
}
