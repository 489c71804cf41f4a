/// A note in a backup about files beside the database, so that a restore can name those that the
/// backup does not hold.
package struct BackupNote: Sendable, Hashable {
  package enum Kind: String, Sendable {
    /// `name` is an installed plugin, `value` the SHA-256 of its file.
    case plugin
    /// `name` is a library, `value` the names of its secret options, separated by commas.
    case credentials
  }

  package var kind: Kind
  package var name: String
  package var value: String

  package init(_ kind: Kind, name: String, value: String) { (self.kind, self.name, self.value) = (kind, name, value) }

  /// Limit of notes to read; no broker writes more.
  private static let limit = 10_000

  /// SQL for the table of notes, which only backups have.
  static func statements(writing notes: [Self]) -> String {
    func quoted(_ text: String) -> String {
      "'" + String(decoding: text.utf8.filter { $0 != 0 }.flatMap { $0 == 0x27 ? [0x27, 0x27] : [$0] }, as: UTF8.self)
        + "'"
    }
    return notes.reduce(
      "CREATE TABLE backup_notes (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL) STRICT;"
    ) {
      $0 + "INSERT INTO backup_notes VALUES (\(quoted($1.kind.rawValue)), \(quoted($1.name)), \(quoted($1.value)));"
    }
  }

  static func take(from connection: SQLiteConnection) throws(SQLiteError) -> [Self] {
    let table = try connection.statement("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup_notes'")
    let isThere = try table.step()
    table.reset()
    guard isThere else { return [] }
    let statement = try connection.statement(
      "SELECT kind, name, value FROM backup_notes ORDER BY kind, name LIMIT \(limit)")
    var notes: [Self] = []
    while try statement.step() {
      if let kind = Kind(rawValue: statement.text(0)) {
        notes.append(Self(kind, name: statement.text(1), value: statement.text(2)))
      }
    }
    statement.reset()
    try connection.execute("DROP TABLE backup_notes")
    return notes
  }
}
