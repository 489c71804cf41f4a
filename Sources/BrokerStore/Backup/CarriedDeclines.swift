import Broker

/// Declined offers of the replaced state, merged into the restored one. Offers that were declined
/// after the backup stay declined (R127, R144), and a co-owner who left since must accept again
/// (R126). Acceptances since the backup are lost.
struct CarriedDeclines {
  /// Users who declined the library, by its root key.
  private var libraries: [[UInt8]: Set<Int64>] = [:]
  /// Users who declined to be a co-owner, by the library's root key.
  private var refused: [[UInt8]: Set<Int64>] = [:]
  /// Users who accepted to be a co-owner, by the library's root key.
  private var joined: [[UInt8]: Set<Int64>] = [:]
  /// Users who accepted the library for their programs, by its root key.
  private var accepted: [[UInt8]: Set<Int64>] = [:]
  /// The users whose offers a user declines, by the setting's name.
  private var users: [String: Set<String>] = [:]

  init(from present: Connection) throws(SQLiteError) {
    libraries = try Self.users(in: "library_declined", of: present)
    refused = try Self.users(in: "library_refused", of: present)
    joined = try Self.users(in: "library_joined", of: present)
    accepted = try Self.users(in: "library_accepted", of: present)
    users = try Self.users(present)
  }

  /// - Returns: the table's users by the library's root key. A library without any has an empty
  ///   set.
  private static func users(in table: String, of connection: Connection) throws(SQLiteError) -> [[UInt8]: Set<Int64>] {
    let rows = try connection.statement("SELECT root_key, uid FROM libraries LEFT JOIN \(table) ON id = library")
    defer { rows.reset() }
    var found: [[UInt8]: Set<Int64>] = [:]
    while try rows.step() { found[rows.blob(0), default: []].formUnion(rows.optionalInteger(1).map { [$0] } ?? []) }
    return found
  }

  private static func users(_ connection: Connection) throws(SQLiteError) -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    let settings = try connection.statement("SELECT name, value FROM settings WHERE name GLOB ?")
    defer { settings.reset() }
    try settings.bind(.text(SettingName.declines + "*"), at: 1)
    while try settings.step() { found[settings.text(0)] = Set(settings.text(1).split(separator: ",").map(String.init)) }
    return found
  }

  /// - Returns: the users that were not in the table before.
  private func put(
    _ users: Set<Int64>?, into table: String, of library: Int64, _ restored: Connection
  ) throws(SQLiteError) -> Set<Int64> {
    var added: Set<Int64> = []
    for user in users ?? [] {
      let text = "INSERT OR IGNORE INTO \(table) (library, uid) VALUES (?, ?)"
      if try restored.run(text, .integer(library), .integer(user)) > 0 { added.insert(user) }
    }
    return added
  }

  /// - Returns: the number of declined offers that the backup lacked.
  func put(into restored: Connection) throws(SQLiteError) -> Int {
    var count = 0
    try restored.execute("BEGIN IMMEDIATE")
    let yes = try (
      joined: Self.users(in: "library_joined", of: restored),
      accepted: Self.users(in: "library_accepted", of: restored)
    )
    for (number, rootKey) in try CarriedAssets.libraries(restored) {
      let declined = try put(libraries[rootKey], into: "library_declined", of: number, restored)
      count += declined.union(try put(refused[rootKey], into: "library_refused", of: number, restored)).count
      for (table, before, stayed) in [
        ("library_joined", yes.joined, joined[rootKey]), ("library_accepted", yes.accepted, accepted[rootKey]),
      ] {
        guard let stayed else { continue }
        for user in before[rootKey, default: []].subtracting(stayed) {
          try restored.run("DELETE FROM \(table) WHERE library = ? AND uid = ?", .integer(number), .integer(user))
        }
      }
    }
    let known = try Self.users(restored)
    for (name, declined) in users {
      let before = known[name] ?? []
      let all = before.union(declined)
      guard all != before else { continue }
      count += all.count - before.count
      try restored.run(
        "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", .text(name),
        .text(all.sorted().joined(separator: ",")))
    }
    try restored.execute("COMMIT")
    return count
  }
}
