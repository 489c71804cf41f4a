/// The state's tables, and their one version that this broker reads.
enum Schema {
  /// SQLite's `user_version`. Raised with every change of the tables, of the bytes in them, or of a
  /// catalogue's file.
  static let version: Int64 = 47
  /// "PBst". `file` shows it, and another program's database is refused.
  static let application: Int64 = 0x5042_7374

  /// Makes the tables of an empty database.
  /// - Throws: `otherVersion`, `corrupt` for another program's database.
  static func prepare(_ connection: SQLiteConnection) throws(StoreError) {
    guard try !isCurrent(connection, of: "state") else { return }
    do throws(SQLiteError) {
      try connection.execute("BEGIN IMMEDIATE")
      try connection.execute(tables)
      try connection.execute("PRAGMA application_id = \(application)")
      try connection.execute("PRAGMA user_version = \(version)")
      try connection.execute("COMMIT")
    } catch { throw StoreError(error) }
  }

  /// Whether a database has this version; false for an empty one.
  /// - Parameter kind: state or backup, for the error's message.
  /// - Throws: `otherVersion`, `corrupt` for another program's database.
  static func isCurrent(_ connection: SQLiteConnection, of kind: String) throws(StoreError) -> Bool {
    let (found, mark, count): (Int64, Int64, Int64)
    do throws(SQLiteError) {
      found = try number("PRAGMA user_version", connection)
      mark = try number("PRAGMA application_id", connection)
      count = try number("SELECT count(*) FROM sqlite_schema", connection)
    } catch { throw StoreError(error) }
    guard count > 0 else { return false }
    guard mark == application else { throw .corrupt("the database belongs to another program") }
    guard found == version else { throw .otherVersion(found, of: kind) }
    return true
  }

  /// Tables that grow with a library's content or with its use by apps.
  private static let large: Set<String> = [
    "assets", "resources", "changes", "ledger_blocks", "delivered_assets", "detached_files", "missing_assets",
  ]

  /// Reads the database for damage; all of it takes half a second for a million assets.
  static func check(_ connection: SQLiteConnection, exceptLarge: Bool = false) throws(StoreError) {
    var isSound = true
    do throws(SQLiteError) {
      let tables = exceptLarge ? try self.tables(connection).filter { !large.contains($0) }.map { "'\($0)'" } : ["1"]
      for argument in tables {
        isSound = try connection.first("PRAGMA quick_check(\(argument))") { $0.text(0) } == "ok" && isSound
      }
    } catch { throw StoreError(error) }
    guard isSound else { throw .corrupt("quick_check found an error") }
  }

  private static func tables(_ connection: SQLiteConnection) throws(SQLiteError) -> [String] {
    let query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    return try connection.rows(query) { $0.text(0) }
  }

  private static func number(_ query: String, _ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
    try connection.first(query) { $0.integer(0) } ?? 0
  }
}
