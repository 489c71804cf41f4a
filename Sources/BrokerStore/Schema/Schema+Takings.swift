extension Schema {
  /// What undoes what apps took from albums of others is bounded by itself, so that nothing else
  /// that an app does makes room in it; what rules answered is bounded by the apps that asked; and
  /// removed apps that others knew are bounded apart from those that only their own users did.
  static let takings = """
    ALTER TABLE decision_changes ADD COLUMN takes INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX decision_changes_taking ON decision_changes (library, decision) WHERE takes = 1;
    DROP INDEX decisions_by_others;
    CREATE INDEX decisions_by_others ON decisions (library_number, actor, role, id, app) WHERE role IN ('app', 'user', 'rule');
    ALTER TABLE former_apps ADD COLUMN others INTEGER NOT NULL DEFAULT 0;
    DROP INDEX former_apps_by_user;
    CREATE INDEX former_apps_by_user ON former_apps (uid, others, id);
    """
}
