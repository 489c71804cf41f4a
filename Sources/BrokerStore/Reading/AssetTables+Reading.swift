import Broker
import Catalogue
import PhotoModel

extension AssetTables {
  /// Assets that are not missing, with their resources, in the order of their numbers.
  func records(of library: LibraryName, from first: UInt32, to last: UInt32 = .max, limit: Int) throws(SQLiteError)
    -> [AssetRecord]
  {
    guard let number = try optionalNumber(of: library) else { return [] }
    return try records(from: number << 32 + Int64(first), below: number << 32 + Int64(last) + 1, limit: limit)
  }

  /// Assets by key, either missing ones or all others.
  func records(from first: Int64, below end: Int64, limit: Int, missing: Bool = false) throws(SQLiteError)
    -> [AssetRecord]
  {
    var found: [AssetRecord] = []
    var last = first
    try each(
      """
      SELECT id, identifier, created, date_origin, place_shift, added, modified, media_type, subtypes, flags, width,
        height, duration, latitude, longitude, place, version, file_name, creator, edited, caption, camera,
        live_photo, burst, facts_version, file_created, file_latitude, file_longitude, file_caption
      FROM assets WHERE id >= ? AND id < ? AND flags & ? = ? ORDER BY id LIMIT ?
      """, .integer(first), .integer(end), SQLiteValue(AssetFlags.missing.rawValue),
      SQLiteValue(missing ? AssetFlags.missing.rawValue : 0), SQLiteValue(limit)
    ) { row throws(SQLiteError) in
      last = row.integer(0)
      found.append(
        AssetRecord(
          row: try row.row(AssetNumber(key: last), from: 1), caption: row.optionalText(20),
          camera: row.optionalText(21),
          livePhotoIdentifier: row.optionalText(22), burstIdentifier: row.optionalText(23),
          creator: try row.optionalApp(18),
          edited: EditedFields(rawValue: try row.number(19)),
          ofFile: FileValues(
            creationDate: row.optionalInteger(25).map { Timestamp(microseconds: $0) },
            location: try row.optionalPoint(26), caption: row.optionalText(28)),
          factsVersion: try row.number(24), resources: []))
    }
    guard !found.isEmpty else { return [] }
    var index = 0
    try each(
      """
      SELECT asset, role, locator, file_name, content_type, size, content_version, identity_hint, digest, ends_digest,
        picture_digest, captured, camera
      FROM resources
      WHERE asset >= ? AND asset <= ? ORDER BY asset, place
      """, .integer(first), .integer(last)
    ) { row throws(SQLiteError) in
      let asset = AssetNumber(key: row.integer(0))
      while index < found.count, found[index].row.number < asset { index += 1 }
      guard index < found.count, found[index].row.number == asset else { return }
      found[index].resources.append(
        ResourceRecord(
          role: try row.known(ResourceRole(rawValue: row.text(1))), locator: row.text(2), filename: row.text(3),
          contentType: row.text(4), size: row.integer(5), contentVersion: row.text(6),
          identityHint: row.optionalText(7),
          digest: row.optionalBlob(8), endsDigest: row.optionalBlob(9),
          picture: PictureFacts(
            digest: row.optionalBlob(10), captured: row.optionalInteger(11), camera: row.optionalText(12))))
    }
    return found
  }

  func locators(
    of library: LibraryName, from first: UInt32, limit: Int
  ) throws(SQLiteError) -> [(asset: AssetNumber, locator: String)] {
    guard let number = try optionalNumber(of: library) else { return [] }
    let low = number << 32
    return try rows(
      "SELECT asset, locator FROM resources WHERE asset >= ? AND asset < ? AND place = 0 ORDER BY asset LIMIT ?",
      .integer(low + Int64(first)), .integer(low + (1 << 32)), SQLiteValue(limit)
    ) { row in (asset: AssetNumber(key: row.integer(0)), locator: row.text(1)) }
  }

  /// Passes the known digests of these assets' originals to `tell`.
  func digests(
    of assets: some Sequence<AssetNumber>, in library: LibraryName, _ tell: (AssetNumber, [UInt8]) -> Void
  ) throws(SQLiteError) {
    guard let number = try optionalNumber(of: library) else { return }
    for asset in assets {
      let key = SQLiteValue.integer(number << 32 + Int64(asset.rawValue))
      try each("SELECT digest FROM resources WHERE asset = ? AND place = 0", key) { row in
        if let digest = row.optionalBlob(0) { tell(asset, digest) }
      }
    }
  }

  /// Passes the captions of these assets to `tell`; assets without one are skipped.
  func captions(
    of assets: some Sequence<AssetNumber>, in library: LibraryName, _ tell: (AssetNumber, String) -> Void
  ) throws(SQLiteError) {
    guard let number = try optionalNumber(of: library) else { return }
    for asset in assets {
      try each("SELECT caption FROM assets WHERE id = ?", .integer(number << 32 + Int64(asset.rawValue))) { row in
        if let caption = row.optionalText(0) { tell(asset, caption) }
      }
    }
  }
}
