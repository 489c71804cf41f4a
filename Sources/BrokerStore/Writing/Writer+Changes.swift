import Broker

extension Writer {
  /// Adds to a library's change log.
  func append(_ records: [ChangeRecord], to library: LibraryName) throws(SQLiteError) {
    guard let first = records.first?.sequence, let last = records.last?.sequence else { return }
    let number = SQLiteValue.integer(try number(of: library))
    let connection = try connected()
    try connection.run(
      "INSERT INTO changes (library, first, last, records) VALUES (?, ?, ?, ?)", number, SQLiteValue(first), SQLiteValue(last),
      .blob(ChangePage.encode(records)))
    try connection.run(
      "UPDATE libraries SET next_sequence = ?1 WHERE id = ?2 AND next_sequence < ?1", SQLiteValue(last &+ 1), number)
  }

  /// Forgets whole pages below; of a page that is partly below, what is below is left out when it is read.
  func trimChanges(of library: LibraryName, below first: UInt64) throws(SQLiteError) {
    let number = SQLiteValue.integer(try number(of: library))
    let connection = try connected()
    try connection.run("DELETE FROM changes WHERE library = ? AND last < ?", number, SQLiteValue(first))
    try connection.run(
      "UPDATE libraries SET changes_from = ?1 WHERE id = ?2 AND changes_from < ?1", SQLiteValue(first), number)
  }
}
