import Broker
import Catalogue
import PhotoModel

/// Assets, their files, albums, and the catalogues that are kept in files.
struct AssetTables: Tables {
  let database: StateDatabase

  /// The key of an asset, unique across libraries.
  func key(_ asset: AssetNumber, in library: LibraryName) throws(SQLiteError) -> Int64 {
    try number(of: library) << 32 | Int64(asset.rawValue)
  }

  /// The key of an asset that this commit changes; the library's kept catalogue becomes invalid.
  func changed(_ asset: AssetNumber, in library: LibraryName) throws(SQLiteError) -> Int64 {
    let key = try key(asset, in: library)
    try forgetCatalogue(of: key >> 32)
    return key
  }

  func put(_ record: AssetRecord, in library: LibraryName) throws(SQLiteError) {
    let key = try changed(record.row.number, in: library)
    let connection = try connected()
    let ofFile = record.ofFile
    var values = [.integer(key)] + values(of: record.row)
    values += [record.creator.map { .identifier($0) } ?? .null, SQLiteValue(record.edited.rawValue)]
    let texts = [record.caption, record.camera, record.livePhotoIdentifier, record.burstIdentifier]
    values += texts.map { SQLiteValue($0) }
    values += [
      SQLiteValue(record.factsVersion), SQLiteValue(ofFile.creationDate?.microseconds),
      SQLiteValue(ofFile.location.map { Int64($0.latitudeE7) }),
      SQLiteValue(ofFile.location.map { Int64($0.longitudeE7) }), SQLiteValue(ofFile.caption),
    ]
    try connection.run(
      """
      INSERT OR REPLACE INTO assets (id, identifier, created, date_origin, place_shift, added, modified, media_type,
        subtypes, flags, width, height, duration, latitude, longitude, place, version, file_name, creator, edited,
        caption, camera, live_photo, burst, facts_version, file_created, file_latitude, file_longitude, file_caption)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, values)
    try connection.run("DELETE FROM resources WHERE asset = ?", .integer(key))
    for (place, resource) in record.resources.enumerated() { try insert(resource, at: place, of: key) }
    // A number is never given to another asset, even after its own is removed.
    try connection.run(
      "UPDATE libraries SET next_number = ?1 WHERE id = ?2 AND next_number < ?1",
      SQLiteValue(Int64(record.row.number.rawValue) + 1),
      .integer(key >> 32))
  }

  func update(_ row: AssetRow, _ edited: EditedFields, in library: LibraryName) throws(SQLiteError) {
    let key = SQLiteValue.integer(try changed(row.number, in: library))
    try connected().run(
      """
      UPDATE assets SET identifier = ?1, created = ?2, date_origin = ?3, place_shift = ?4, added = ?5, modified = ?6,
        media_type = ?7, subtypes = ?8, flags = ?9, width = ?10, height = ?11, duration = ?12, latitude = ?13,
        longitude = ?14, place = ?15, version = ?16, file_name = ?17, edited = edited | ?18 WHERE id = ?19
      """, values(of: row) + [SQLiteValue(edited.rawValue), key])
  }

  func put(_ deletion: Deletion?, of asset: AssetNumber, in library: LibraryName) throws(SQLiteError) {
    let key = SQLiteValue.integer(try key(asset, in: library))
    guard let deletion else {
      try connected().run("DELETE FROM deletions WHERE asset = ?", key)
      return
    }
    try connected().run(
      "INSERT OR REPLACE INTO deletions (asset, app, time) VALUES (?, ?, ?)", key, .identifier(deletion.app.value),
      .integer(deletion.time.microseconds))
  }

  func remove(_ asset: AssetNumber, in library: LibraryName) throws(SQLiteError) {
    let key = SQLiteValue.integer(try changed(asset, in: library))
    let connection = try connected()
    try connection.run("DELETE FROM assets WHERE id = ?", key)
    for table in ["resources", "missing_assets", "awaiting_trash", "deletions"] {
      try connection.run("DELETE FROM \(table) WHERE asset = ?", key)
    }
  }

  func put(_ record: AlbumRecord, in library: LibraryName) throws(SQLiteError) {
    var members = ByteWriter(reserving: record.members.count * 3 + 1)
    for member in record.members { members.putCompact(UInt64(member.rawValue)) }
    try connected().run(
      """
      INSERT INTO albums (library, identifier, title, creator, source, created, members, shared)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT DO UPDATE SET title = ?3, creator = ?4, source = ?5, created = ?6, members = ?7, shared = ?8
      """, .integer(try number(of: library)), .identifier(record.identifier), .text(record.title),
      record.creator.map { .identifier($0.value) } ?? .null, .text(record.source.rawValue),
      .integer(record.created.microseconds), .blob(members.bytes), .integer(record.isShared ? 1 : 0))
  }

  private func insert(_ resource: ResourceRecord, at place: Int, of asset: Int64) throws(SQLiteError) {
    try connected().run(
      """
      INSERT INTO resources (asset, place, role, locator, file_name, content_type, size, content_version, identity_hint,
        digest, ends_digest, picture_digest, captured, camera)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .integer(asset), SQLiteValue(place), .text(resource.role.rawValue), .text(resource.locator),
      .text(resource.filename), .text(resource.contentType), .integer(resource.size), .text(resource.contentVersion),
      SQLiteValue(resource.identityHint), SQLiteValue(resource.digest), SQLiteValue(resource.endsDigest),
      SQLiteValue(resource.picture.digest), SQLiteValue(resource.picture.captured),
      SQLiteValue(resource.picture.camera))
  }

  /// Stores the digest of an asset's original, unless the original has another version by now.
  func put(digest: [UInt8], of contentVersion: String, asset: AssetNumber, in library: LibraryName) throws(SQLiteError)
  {
    try connected().run(
      "UPDATE resources SET digest = ? WHERE asset = ? AND place = 0 AND content_version = ?", .blob(digest),
      .integer(try key(asset, in: library)), .text(contentVersion))
  }

  /// The columns `identifier` to `file_name`.
  private func values(of row: AssetRow) -> [SQLiteValue] {
    [
      .identifier(row.identifier), SQLiteValue(row.creationDate?.microseconds), SQLiteValue(row.storedOrigin),
      SQLiteValue(row.placeShiftMinutes),
      .integer(row.addedDate.microseconds), .integer(row.modificationDate.microseconds),
      SQLiteValue(row.mediaType.rawValue),
      SQLiteValue(row.subtypes.rawValue), SQLiteValue(row.flags.rawValue), SQLiteValue(row.width),
      SQLiteValue(row.height),
      SQLiteValue(row.durationMilliseconds), SQLiteValue(row.location.map { Int64($0.latitudeE7) }),
      SQLiteValue(row.location.map { Int64($0.longitudeE7) }), SQLiteValue(row.place.map { Int64($0) }),
      SQLiteValue(row.version), .text(row.fileName),
    ]
  }
}

extension AssetNumber {
  /// The number in an asset's key: the lower half.
  init(key: Int64) { self.init(UInt32(truncatingIfNeeded: key)) }
}

extension AssetRow {
  /// The number of the origin in the lowest four bits, and above them the zone's minutes east of
  /// UTC plus 1,001, or 0 without a zone.
  var storedOrigin: Int64? {
    guard let dateOrigin else { return nil }
    let zone = zoneMinutes.flatMap { abs(Int64($0)) <= 1_000 ? Int64($0) : nil }
    return dateOrigin.storedNumber + (zone.map { $0 + 1_001 } ?? 0) * 16
  }

  mutating func setOrigin(stored: Int64) {
    dateOrigin = DateOrigin(storedNumber: stored & 15)
    zoneMinutes = stored < 16 ? nil : Int16(exactly: (stored >> 4) - 1_001)
  }
}

extension DateOrigin {
  /// The number in the database, 1 to 15. A number is never given another meaning.
  var storedNumber: Int64 {
    switch self {
    case .offset: 1
    case .gps: 2
    case .libraryZone: 3
    case .file: 4
    case .edited: 5
    case .partial: 6
    case .fileName: 7
    case .doubted: 8
    case .place: 9
    }
  }

  init?(storedNumber: Int64) {
    guard let origin = Self.allCases.first(where: { $0.storedNumber == storedNumber }) else { return nil }
    self = origin
  }
}
