import Broker
import PhotoModel

/// Libraries' change logs, and grants' views of them.
struct ChangeTables: Tables {
  let database: StateDatabase

  func append(_ records: [ChangeRecord], to library: LibraryName) throws(SQLiteError) {
    guard let first = records.first?.sequence, let last = records.last?.sequence else { return }
    let number = SQLiteValue.integer(try number(of: library))
    let connection = try connected()
    try connection.run(
      "INSERT INTO changes (library, first, last, records) VALUES (?, ?, ?, ?)", number, SQLiteValue(first),
      SQLiteValue(last),
      .blob(ChangePage.encode(records)))
    try connection.run(
      "UPDATE libraries SET next_sequence = ?1 WHERE id = ?2 AND next_sequence < ?1", SQLiteValue(last &+ 1), number)
  }

  /// Deletes entries, and the views of all grants.
  func trim(of library: LibraryName, below first: UInt64) throws(SQLiteError) {
    let number = SQLiteValue.integer(try number(of: library))
    try connected().run("DELETE FROM views WHERE library = ?", number)
    try forget(of: number, below: first)
  }

  /// Deletes entries, and keeps these grants' views of them.
  func fold(of library: LibraryName, through last: UInt64, _ views: [ViewRecord]) throws(SQLiteError) {
    let number = SQLiteValue.integer(try number(of: library))
    try forget(of: number, below: last &+ 1)
    for view in views {
      try connected().run(
        """
        INSERT INTO views (library, app, level, generation, earlier, digest, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT DO UPDATE SET generation = ?4, earlier = ?5, digest = ?6, seen = ?7
        """, number, .identifier(view.grant.app.value), .text(view.grant.level.rawValue), SQLiteValue(view.generation),
        SQLiteValue(view.earlier), SQLiteValue(view.earlierDigest), .blob(ChangePage.encode(view.seen)))
    }
  }

  /// Deletes whole pages of older entries. In a page that is partly older, the reader skips those
  /// entries.
  private func forget(of number: SQLiteValue, below first: UInt64) throws(SQLiteError) {
    let connection = try connected()
    try connection.run("DELETE FROM changes WHERE library = ? AND last < ?", number, SQLiteValue(first))
    try connection.run(
      "UPDATE libraries SET changes_from = ?1 WHERE id = ?2 AND changes_from < ?1", SQLiteValue(first), number)
  }
}
