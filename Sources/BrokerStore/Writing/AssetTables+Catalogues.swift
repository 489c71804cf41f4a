import Broker
import PhotoModel

extension AssetTables {
  /// Records the file that holds the library's catalogue from this commit on.
  func put(_ kept: KeptCatalogue, of library: LibraryName) throws(SQLiteError) {
    let number = try number(of: library)
    try forgetCatalogue(of: number)
    try connected().run(
      "INSERT INTO catalogues (library, name, bytes, digest) VALUES (?, ?, ?, ?)", .integer(number),
      .identifier(AssetIdentifier(high: kept.high, low: kept.low)), .integer(kept.bytes),
      .integer(Int64(bitPattern: kept.digest)))
    database.cache.catalogues?[number] = kept
  }

  /// Invalidates a library's kept catalogue, because this commit changes an asset. The file is
  /// deleted at once, with its content about assets that are being deleted. If the commit fails,
  /// the next start reads the rows.
  func forgetCatalogue(of number: Int64) throws(SQLiteError) {
    guard let kept = try knownCatalogues()[number] else { return }
    try connected().run("DELETE FROM catalogues WHERE library = ?", .integer(number))
    CatalogueFile.remove(kept, from: database.folder)
    database.cache.catalogues?[number] = nil
  }

  func knownCatalogues() throws(SQLiteError) -> [Int64: KeptCatalogue] {
    if let catalogues = database.cache.catalogues { return catalogues }
    var found: [Int64: KeptCatalogue] = [:]
    try each("SELECT library, name, bytes, digest FROM catalogues") { row throws(SQLiteError) in
      let name: AssetIdentifier = try row.identifier(1)
      found[row.integer(0)] = KeptCatalogue(
        high: name.high, low: name.low, bytes: row.integer(2), digest: UInt64(bitPattern: row.integer(3)))
    }
    database.cache.catalogues = found
    return found
  }
}
