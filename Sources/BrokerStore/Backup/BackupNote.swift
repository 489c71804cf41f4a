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
    let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup_notes'"
    guard try connection.first(table, body: { _ in () }) != nil else { return [] }
    let notes = try connection.rows("SELECT kind, name, value FROM backup_notes ORDER BY kind, name LIMIT \(limit)") {
      row in
      Kind(rawValue: row.text(0)).map { Self($0, name: row.text(1), value: row.text(2)) }
    }
    try connection.execute("DROP TABLE backup_notes")
    return notes.compactMap(\.self)
  }
}
