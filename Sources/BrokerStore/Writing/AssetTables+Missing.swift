import Broker
import Catalogue
import PhotoModel

extension AssetTables {
  func note(missing asset: AssetNumber, of library: LibraryName, since time: Timestamp?) throws(SQLiteError) {
    let (key, connection) = (SQLiteValue.integer(try key(asset, in: library)), try connected())
    if let time {
      try connection.run(
        "INSERT OR REPLACE INTO missing_assets (asset, since) SELECT id, ? FROM assets WHERE id = ?",
        .integer(time.microseconds),
        key)
    } else {
      try connection.run("DELETE FROM missing_assets WHERE asset = ?", key)
    }
    try connection.run("UPDATE resources SET is_missing = ? WHERE asset = ?", SQLiteValue(time != nil), key)
  }

  /// The keys of missing assets that may own the file, by identity or place. A sidecar finds those
  /// that had it as a sidecar.
  func missingKeys(of library: Int64, like file: ResourceRecord) throws(SQLiteError) -> Set<Int64> {
    var found: Set<Int64> = []
    for (index, column, value) in [
      ("resources_by_hint", "identity_hint", SQLiteValue(file.identityHint)),
      ("missing_by_place", "locator", .text(file.locator)),
    ] {
      try each(
        """
        SELECT asset FROM resources INDEXED BY \(index)
        WHERE is_missing = 1 AND asset >= ? AND asset < ? AND \(column) = ? AND (role = 'sidecar') = ?
        ORDER BY asset DESC LIMIT \(MissingAsset.foundAtOnce)
        """, .integer(library << 32), .integer((library + 1) << 32), value, SQLiteValue(file.role == .sidecar)
      ) { row throws(SQLiteError) in found.insert(row.integer(0)) }
    }
    return found
  }

  func missingAsset(_ key: Int64) throws(SQLiteError) -> MissingAsset? {
    let since = try first("SELECT since FROM missing_assets WHERE asset = ?", .integer(key)) { row in row.time(0) }
    guard let since, let record = try records(from: key, below: key + 1, limit: 1, missing: true).first else {
      return nil
    }
    return MissingAsset(record: record, since: since)
  }
}
