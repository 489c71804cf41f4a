extension Schema {
  /// Who registered an app of another user knows of it before it asks for anything.
  static let registrars = "ALTER TABLE apps ADD COLUMN registrar INTEGER;"
}
