import Broker
import Catalogue
import PhotoModel

/// Detached files: files that left hidden or never-share assets.
extension Writer {
  func put(_ file: DetachedFile, in library: LibraryName) throws(SQLiteError) {
    try connected().put(file, in: try number(of: library))
  }

  func forgetDetached(of library: LibraryName, placesEndedBefore time: Timestamp) throws(SQLiteError) {
    try connected().run(
      """
      DELETE FROM detached_files WHERE library = ?1 AND number IN (
        SELECT number FROM detached_files INDEXED BY detached_by_end
        WHERE library = ?1 AND is_missing = 0 AND place_ends < ?2 ORDER BY place_ends, number LIMIT ?3)
      """, .integer(try number(of: library)), .integer(time.microseconds), SQLiteValue(DetachedFile.forgottenAtOnce))
  }

  /// Adds the detached files that resemble `file`, by number.
  func findDetached(of library: Int64, like file: ResourceRecord, in found: inout [Int64: DetachedFile])
    throws(SQLiteError)
  {
    var all = found
    for (index, columns, values) in Self.marks(of: file) where !values.contains(where: \.isNull) {
      try connected().each(
        """
        SELECT \(DetachedFile.columns) FROM detached_files INDEXED BY \(index)
        WHERE library = ? AND \(columns.map { "\($0) = ?" }.joined(separator: " AND "))
        ORDER BY is_missing DESC, number DESC LIMIT \(DetachedFile.foundAtOnce)
        """, [.integer(library)] + values
      ) { row throws(SQLiteError) in
        let one = try row.detachedFile()
        all[one.number] = one
      }
    }
    found = all
  }

  /// The properties that identify a file, each with its index.
  private static func marks(of file: ResourceRecord) -> [(index: String, columns: [String], values: [SQLiteValue])] {
    let size = SQLiteValue.integer(file.size)
    return [
      ("detached_by_place", ["place"], [.text(file.locator)]),
      ("detached_by_name", ["file_name", "size"], [.text(file.filename), size]),
      ("detached_by_hint", ["identity_hint"], [SQLiteValue(file.identityHint)]),
      ("detached_by_hash", ["hash", "size"], [SQLiteValue(file.hash), size]),
      ("detached_by_digest", ["digest", "size"], [SQLiteValue(file.digest), size]),
      ("detached_by_ends", ["ends_digest", "size"], [SQLiteValue(file.endsDigest), size]),
    ]
  }
}

extension SQLiteValue {
  fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}

extension DetachedFile {
  /// The columns that ``Statement/detachedFile()`` reads.
  static let columns =
    "number, asset, marks, place, file_name, size, identity_hint, hash, digest, ends_digest, is_missing, place_ends"
}

extension Statement {
  func detachedFile() throws(SQLiteError) -> DetachedFile {
    DetachedFile(
      number: integer(0), asset: isNull(1) ? nil : AssetNumber(try number(1)),
      marks: AssetFlags(rawValue: try number(2)), place: optionalText(3), filename: text(4), size: integer(5),
      hint: optionalText(6), hash: optionalText(7), digest: optionalBlob(8), endsDigest: optionalBlob(9),
      isMissing: integer(10) != 0, placeEnds: optionalTime(11))
  }
}

extension SQLiteConnection {
  func put(_ file: DetachedFile, in library: Int64) throws(SQLiteError) {
    try run(
      """
      INSERT OR REPLACE INTO detached_files (library, \(DetachedFile.columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(library), .integer(file.number), SQLiteValue(file.asset.map { Int64($0.rawValue) }),
      SQLiteValue(file.marks.rawValue),
      SQLiteValue(file.place), .text(file.filename), .integer(file.size), SQLiteValue(file.hint),
      SQLiteValue(file.hash),
      SQLiteValue(file.digest), SQLiteValue(file.endsDigest), SQLiteValue(file.isMissing),
      SQLiteValue(file.placeEnds?.microseconds))
  }

  func nextDetached(of library: Int64) throws(SQLiteError) -> Int64 {
    let query = "SELECT ifnull(max(number), -1) + 1 FROM detached_files WHERE library = ?"
    return try first(query, .integer(library)) { $0.integer(0) } ?? 0
  }
}
