import CSQLite

/// The numbered steps from an empty database to the present one.
///
/// A released step is never changed: another one follows it, so that every released version can be taken up. SQLite's
/// `user_version` tells how many were done; all that are missing happen in one transaction.
enum Schema {
  static let steps: [String] = [
    version1, people, sharedAlbums, picking, folders, undo, catalogues, pending, plugins, originals, ends, views,
    registrars,
    declined, deciders, orphans, formerApps, parted, words, away, accepted, facts, zones, deletions, revokedTokens,
    refused, piles,
    takings, subjects, deleting,
  ]
  /// "PBst", for `file` and against serving some other program's database.
  static let application: Int64 = 0x5042_7374

  /// The version of a database of ours; 0 for an empty one.
  /// - Throws: `corrupt` for another program's.
  static func version(_ connection: Connection) throws(StoreError) -> Int64 {
    let found: Int64
    let isOurs: Bool
    do throws(SQLiteError) {
      found = try number("PRAGMA user_version", connection)
      let isEmpty = try number("SELECT count(*) FROM sqlite_schema", connection) == 0
      let mark = try number("PRAGMA application_id", connection)
      isOurs = isEmpty || mark == application
    } catch { throw StoreError(error) }
    guard isOurs else { throw .corrupt("the database belongs to another program") }
    return found
  }

  /// Brings a database up to date.
  static func migrate(_ connection: Connection) throws(StoreError) {
    let latest = Int64(steps.count)
    let found = try version(connection)
    guard found <= latest else { throw .tooNew(Int32(clamping: found), known: Int32(latest)) }
    guard found < latest else { return }
    do throws(SQLiteError) {
      try connection.execute("BEGIN IMMEDIATE")
      for step in steps[Int(max(found, 0))...] { try connection.execute(step) }
      try PartedLine.migrate(connection)
      // A catalogue that an older release kept is made anew.
      try connection.execute("DELETE FROM catalogues")
      try connection.execute("PRAGMA application_id = \(application)")
      try connection.execute("PRAGMA user_version = \(latest)")
      try connection.execute("COMMIT")
    } catch { throw StoreError(error) }
  }

  /// Tables that grow with what is in a library or was read from it.
  private static let large: Set<String> = [
    "assets", "resources", "changes", "ledger_blocks", "delivered_assets", "parted_files", "away_assets",
  ]

  /// Reads the database for damage; all of it takes half a second for a million assets.
  static func check(_ connection: Connection, exceptLarge: Bool = false) throws(StoreError) {
    var isSound = true
    do throws(SQLiteError) {
      let tables = exceptLarge ? try self.tables(connection).filter { !large.contains($0) }.map { "'\($0)'" } : ["1"]
      for argument in tables {
        let statement = try connection.statement("PRAGMA quick_check(\(argument))")
        isSound = try statement.step() && statement.text(0) == "ok" && isSound
        statement.reset()
      }
    } catch { throw StoreError(error) }
    guard isSound else { throw .corrupt("quick_check found an error") }
  }

  private static func tables(_ connection: Connection) throws(SQLiteError) -> [String] {
    let statement = try connection.statement(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    defer { statement.reset() }
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  private static func number(_ query: String, _ connection: Connection) throws(SQLiteError) -> Int64 {
    let statement = try connection.statement(query)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }
}
