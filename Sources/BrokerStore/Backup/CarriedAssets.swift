/// Whole assets with their files, as they are in the state that a backup replaces.
struct CarriedAssets {
  /// A row with the names of its columns: an older state has fewer of them, and the rest is then as in whatever is upgraded.
  private typealias Row = [(column: String, value: SQLiteValue)]
  private struct Asset {
    let key: Int64
    var row: Row
    var files: [Row]
    var awaitsTrash: Bool
  }
  private var assets: [Asset] = []
  /// Of the libraries that they are in, what tells a library from every other, by its number.
  private let rootKeys: [Int64: [UInt8]]

  init(_ keys: [Int64], from present: Connection) throws(SQLiteError) {
    rootKeys = Dictionary(try Self.libraries(present).map { ($0.number, $0.rootKey) }) { first, _ in first }
    let (columns, ofFiles) = (try Self.columns(of: "assets", present), try Self.columns(of: "resources", present))
    let knowsWaiting = try !Self.columns(of: "awaiting_trash", present).isEmpty
    for key in keys {
      guard let row = try Self.rows("assets", columns, where: "id", is: key, present).first else { continue }
      let files = try Self.rows("resources", ofFiles, where: "asset", is: key, present)
      let waiting = knowsWaiting ? try Self.rows("awaiting_trash", ["asset"], where: "asset", is: key, present) : []
      assets.append(Asset(key: key, row: row, files: files, awaitsTrash: !waiting.isEmpty))
    }
  }

  /// Puts them into the same libraries, under numbers that nothing had there; before any file of theirs is looked at anew.
  /// - Returns: the keys of those that are in libraries which the backup has.
  func put(into restored: Connection) throws(SQLiteError) -> Set<Int64> {
    let numbers = Dictionary(try Self.libraries(restored).map { ($0.rootKey, $0.number) }) { first, _ in first }
    var taken: Set<Int64> = []
    try restored.execute("BEGIN IMMEDIATE")
    for asset in assets {
      guard let rootKey = rootKeys[asset.key >> 32], let library = numbers[rootKey] else { continue }
      guard let number = try Self.number("SELECT next_number FROM libraries WHERE id = ?", library, restored), number < 1 << 32
      else { continue }
      try restored.run("UPDATE libraries SET next_number = next_number + 1 WHERE id = ?", .integer(library))
      let key = library << 32 | number
      try Self.insert(asset.row, into: "assets", with: ("id", key), restored)
      for file in asset.files { try Self.insert(file, into: "resources", with: ("asset", key), restored) }
      if asset.awaitsTrash { try restored.run("INSERT INTO awaiting_trash (asset) VALUES (?)", .integer(key)) }
      taken.insert(asset.key)
    }
    try restored.execute("COMMIT")
    return taken
  }

  /// Every library's number and what it was given when it was added, by lot.
  static func libraries(_ connection: Connection) throws(SQLiteError) -> [(number: Int64, rootKey: [UInt8])] {
    var found: [(number: Int64, rootKey: [UInt8])] = []
    let libraries = try connection.statement("SELECT id, root_key FROM libraries")
    defer { libraries.reset() }
    while try libraries.step() { found.append((libraries.integer(0), libraries.blob(1))) }
    return found
  }

  private static func columns(of table: String, _ connection: Connection) throws(SQLiteError) -> [String] {
    var names: [String] = []
    let columns = try connection.statement("SELECT name FROM pragma_table_info('\(table)')")
    defer { columns.reset() }
    while try columns.step() { names.append(columns.text(0)) }
    return names
  }

  private static func rows(
    _ table: String, _ columns: [String], where column: String, is key: Int64, _ connection: Connection
  ) throws(SQLiteError) -> [Row] {
    var found: [Row] = []
    let rows = try connection.statement("SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(column) = ?")
    defer { rows.reset() }
    try rows.bind(.integer(key), at: 1)
    while try rows.step() { found.append(columns.enumerated().map { ($0.element, rows.value($0.offset)) }) }
    return found
  }

  private static func number(_ query: String, _ key: Int64, _ connection: Connection) throws(SQLiteError) -> Int64? {
    let found = try connection.statement(query)
    defer { found.reset() }
    try found.bind(.integer(key), at: 1)
    return try found.step() ? found.integer(0) : nil
  }

  private static func insert(_ row: Row, into table: String, with key: (column: String, value: Int64), _ restored: Connection)
    throws(SQLiteError)
  {
    let names = row.map(\.column).joined(separator: ", ")
    let places = row.map { _ in "?" }.joined(separator: ", ")
    let statement = try restored.statement("INSERT INTO \(table) (\(names)) VALUES (\(places))")
    for (offset, field) in row.enumerated() {
      try statement.bind(field.column == key.column ? .integer(key.value) : field.value, at: offset + 1)
    }
    try statement.run()
  }
}
