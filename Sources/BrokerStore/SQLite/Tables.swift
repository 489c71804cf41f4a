import Broker

/// Reads rows of a database.
protocol Querying {
  func connected() throws(SQLiteError) -> SQLiteConnection
}

extension Querying {
  func each(
    _ query: String, _ values: SQLiteValue..., body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try connected().each(query, values, body: body)
  }

  /// Makes a value of each row.
  func rows<Row>(
    _ query: String, _ values: SQLiteValue..., body: (Statement) throws(SQLiteError) -> Row
  ) throws(SQLiteError) -> [Row] {
    var rows: [Row] = []
    try connected().each(query, values) { row throws(SQLiteError) in rows.append(try body(row)) }
    return rows
  }

  /// Makes a value of the first row; nil without rows.
  func first<Row>(
    _ query: String, _ values: SQLiteValue..., body: (Statement) throws(SQLiteError) -> Row
  ) throws(SQLiteError) -> Row? {
    let statement = try connected().statement(query, values)
    defer { statement.reset() }
    return try statement.step() ? try body(statement) : nil
  }
}

/// Statements about some of the database's tables.
protocol Tables: Querying {
  var database: StateDatabase { get }
}

extension Tables {
  func connected() throws(SQLiteError) -> SQLiteConnection { try database.connected() }
  func number(of library: LibraryName) throws(SQLiteError) -> Int64 { try database.number(of: library) }
  func optionalNumber(of library: LibraryName) throws(SQLiteError) -> Int64? {
    try database.optionalNumber(of: library)
  }
}
