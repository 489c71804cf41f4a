import Broker

/// Statements about some of the database's tables.
protocol Tables {
  var database: StateDatabase { get }
}

extension Tables {
  func connected() throws(SQLiteError) -> SQLiteConnection { try database.connected() }
  func number(of library: LibraryName) throws(SQLiteError) -> Int64 { try database.number(of: library) }
  func optionalNumber(of library: LibraryName) throws(SQLiteError) -> Int64? {
    try database.optionalNumber(of: library)
  }

  func each(
    _ query: String, _ values: SQLiteValue..., body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try database.connected().each(query, values, body: body)
  }
}
