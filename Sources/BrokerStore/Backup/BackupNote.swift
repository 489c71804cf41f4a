/// What a backup says of files beside the database, which it does not hold: so that whoever
/// restores it knows what is missing.
package struct BackupNote: Sendable, Hashable {
  package enum Kind: String, Sendable {
    /// `name` is an installed plugin's, `value` the SHA-256 of its file.
    case plugin
    /// `name` is a library's, `value` the names of its secret options, parted by commas.
    case credentials
  }

  package var kind: Kind
  package var name: String
  package var value: String

  package init(_ kind: Kind, name: String, value: String) { (self.kind, self.name, self.value) = (kind, name, value) }

  /// More than there can be; a backup that has them was not made by a broker.
  private static let limit = 10_000

  /// Only a backup has this table.
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

  /// Reads the notes of a backup, and takes them out of it.
  static func take(from connection: Connection) throws(SQLiteError) -> [Self] {
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
