/// A row of the replaced state, with its columns' names.
struct CarriedRow {
  private let fields: [(column: String, value: SQLiteValue)]

  static func columns(of table: String, _ connection: Connection) throws(SQLiteError) -> [String] {
    var names: [String] = []
    let columns = try connection.statement("SELECT name FROM pragma_table_info('\(table)')")
    defer { columns.reset() }
    while try columns.step() { names.append(columns.text(0)) }
    return names
  }

  static func read(
    _ table: String, _ columns: [String], where column: String, is key: Int64, _ connection: Connection
  ) throws(SQLiteError) -> [Self] {
    var found: [Self] = []
    let rows = try connection.statement("SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(column) = ?")
    defer { rows.reset() }
    try rows.bind(.integer(key), at: 1)
    while try rows.step() {
      found.append(Self(fields: columns.enumerated().map { ($0.element, rows.value($0.offset)) }))
    }
    return found
  }

  /// - Parameter key: the key column and its value in the other state.
  func insert(into table: String, with key: (column: String, value: Int64), _ connection: Connection)
    throws(SQLiteError)
  {
    let names = fields.map(\.column).joined(separator: ", ")
    let places = fields.map { _ in "?" }.joined(separator: ", ")
    let statement = try connection.statement("INSERT INTO \(table) (\(names)) VALUES (\(places))")
    for (offset, field) in fields.enumerated() {
      try statement.bind(field.column == key.column ? .integer(key.value) : field.value, at: offset + 1)
    }
    try statement.run()
  }

  func update(_ table: String, where key: (column: String, value: Int64), _ connection: Connection) throws(SQLiteError)
  {
    let changes = fields.map { "\($0.column) = ?" }.joined(separator: ", ")
    let statement = try connection.statement("UPDATE \(table) SET \(changes) WHERE \(key.column) = ?")
    for (offset, field) in fields.enumerated() { try statement.bind(field.value, at: offset + 1) }
    try statement.bind(.integer(key.value), at: fields.count + 1)
    try statement.run()
  }

  func isEqual(to other: Self, in columns: [String]) -> Bool { columns.allSatisfy { self[$0] == other[$0] } }

  func text(_ column: String) -> String? {
    guard case .text(let text)? = self[column] else { return nil }
    return text
  }

  private subscript(column: String) -> SQLiteValue? { fields.first { $0.column == column }?.value }
}
