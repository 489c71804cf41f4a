import Broker
import Catalogue
import PhotoModel

/// Missing assets. Their rows have negative keys; see ``Schema/tables``.
extension Writer {
  /// The tables that keep a missing asset's rows, each with the column of its key.
  private static let keptTables = [("assets", "id"), ("resources", "asset")]

  func putAway(_ asset: AssetNumber, of library: LibraryName, since time: Timestamp) throws(SQLiteError) {
    let key = try assets.changed(asset, in: library)
    let connection = try connected()
    for (table, column) in Self.keptTables {
      try connection.run("UPDATE \(table) SET \(column) = -\(column) WHERE \(column) = ?", .integer(key))
    }
    for table in ["awaiting_trash", "deletions"] {
      try connection.run("DELETE FROM \(table) WHERE asset = ?", .integer(key))
    }
    try connection.run(
      "INSERT INTO away_assets (asset, library, since) SELECT id, ?, ? FROM assets WHERE id = ?", .integer(key >> 32),
      .integer(time.microseconds), .integer(-key))
  }

  func mark(away asset: AssetNumber, _ marks: MarksOfAway, in library: LibraryName) throws(SQLiteError) {
    try connected().run(
      "UPDATE assets SET flags = flags & ~? | ?, edited = edited | ? WHERE id = ?", SQLiteValue(marks.taken.rawValue),
      SQLiteValue(marks.given.rawValue), SQLiteValue(marks.edited.rawValue),
      .integer(-(try assets.key(asset, in: library))))
  }

  func endAway(_ asset: AssetNumber, of library: LibraryName) throws(SQLiteError) {
    try forgetAway(-assets.key(asset, in: library))
  }

  private func forgetAway(_ key: Int64) throws(SQLiteError) {
    for (table, column) in Self.keptTables + [("away_assets", "asset")] {
      try connected().run("DELETE FROM \(table) WHERE \(column) = ?", .integer(key))
    }
  }

  func trimAway(of library: LibraryName, before time: Timestamp, limit: Int) throws(SQLiteError) {
    let number = SQLiteValue.integer(try number(of: library))
    var surplus: Int64 = 0
    try each("SELECT count(*) FROM away_assets INDEXED BY away_by_time WHERE library = ?", number) {
      row throws(SQLiteError) in
      surplus = row.integer(0) - Int64(limit)
    }
    var oldest: [(key: Int64, since: Int64)] = []
    // In the order of their numbers if they went missing together.
    try each(
      """
      SELECT asset, since FROM away_assets INDEXED BY away_by_time WHERE library = ? ORDER BY since, asset DESC LIMIT ?
      """, number, SQLiteValue(AwayAsset.forgottenAtOnce)
    ) { row throws(SQLiteError) in oldest.append((row.integer(0), row.integer(1))) }
    for (index, asset) in oldest.enumerated() where asset.since < time.microseconds || index < surplus {
      try forgetAway(asset.key)
    }
  }

  /// The keys of missing assets that may own the file, by identity or place.
  func awayKeys(of library: Int64, like file: ResourceRecord) throws(SQLiteError) -> Set<Int64> {
    let range = [SQLiteValue.integer(-((library + 1) << 32)), .integer(-(library << 32))]
    var found: Set<Int64> = []
    // Keys are negative, so the latest asset has the least.
    for (index, column, value) in [
      ("resources_by_hint", "identity_hint", SQLiteValue(file.identityHint)),
      ("away_by_place", "locator", .text(file.locator)),
    ] {
      let statement = try connected().statement(
        """
        SELECT asset FROM resources INDEXED BY \(index)
        WHERE asset < 0 AND asset > ?1 AND asset <= ?2 AND \(column) = ?3 AND role <> 'sidecar'
        ORDER BY asset LIMIT \(AwayAsset.foundAtOnce)
        """)
      defer { statement.reset() }
      for (offset, value) in (range + [value]).enumerated() { try statement.bind(value, at: offset + 1) }
      while try statement.step() { found.insert(statement.integer(0)) }
    }
    return found
  }

  func awayAsset(_ key: Int64) throws(SQLiteError) -> AwayAsset? {
    var since: Timestamp?
    try each("SELECT since FROM away_assets WHERE asset = ?", .integer(key)) { row throws(SQLiteError) in
      since = row.time(0)
    }
    guard let since, let record = try assets.records(from: key, below: key + 1, limit: 1).first else { return nil }
    return AwayAsset(record: record, since: since)
  }
}

extension Connection {
  /// The numbers of missing assets, in order.
  func awayNumbers(of library: Int64) throws(SQLiteError) -> [AssetNumber] {
    var found: [AssetNumber] = []
    try each("SELECT asset FROM away_assets INDEXED BY away_by_time WHERE library = ?", [.integer(library)]) {
      row throws(SQLiteError) in
      found.append(AssetNumber(UInt32(truncatingIfNeeded: 0 &- row.integer(0))))
    }
    return found.sorted()
  }
}
