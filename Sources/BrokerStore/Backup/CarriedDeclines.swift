import Broker

/// Whom users declined, as the state says that a backup replaces: what they said no to since the backup was made they are not shown again
/// (R127, R144). What they accepted since is as it was.
struct CarriedDeclines {
  /// By what tells a library from every other: users who declined it.
  private var libraries: [[UInt8]: [Int64]] = [:]
  /// By the setting that says so: whose offers a user declines.
  private var users: [String: Set<String>] = [:]

  init(from present: Connection) throws(SQLiteError) {
    // A state of before there was the table has none.
    let tables = try present.statement("SELECT 1 FROM sqlite_schema WHERE name = 'library_declined'")
    let knows = try tables.step()
    tables.reset()
    if knows {
      let declined = try present.statement("SELECT root_key, uid FROM library_declined JOIN libraries ON id = library")
      while try declined.step() { libraries[declined.blob(0), default: []].append(declined.integer(1)) }
      declined.reset()
    }
    users = try Self.users(present)
  }

  private static func users(_ connection: Connection) throws(SQLiteError) -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    let settings = try connection.statement("SELECT name, value FROM settings WHERE name GLOB ?")
    defer { settings.reset() }
    try settings.bind(.text(SettingName.declines + "*"), at: 1)
    while try settings.step() { found[settings.text(0)] = Set(settings.text(1).split(separator: ",").map(String.init)) }
    return found
  }

  /// - Returns: how many there are that the backup did not have.
  func put(into restored: Connection) throws(SQLiteError) -> Int {
    var count = 0
    try restored.execute("BEGIN IMMEDIATE")
    for (number, rootKey) in try CarriedAssets.libraries(restored) {
      for user in libraries[rootKey] ?? [] {
        count += try restored.run(
          "INSERT OR IGNORE INTO library_declined (library, uid) VALUES (?, ?)", .integer(number), .integer(user))
      }
    }
    let known = try Self.users(restored)
    for (name, declined) in users {
      let before = known[name] ?? []
      let all = before.union(declined)
      guard all != before else { continue }
      count += all.count - before.count
      try restored.run(
        "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", .text(name), .text(all.sorted().joined(separator: ",")))
    }
    try restored.execute("COMMIT")
    return count
  }
}
