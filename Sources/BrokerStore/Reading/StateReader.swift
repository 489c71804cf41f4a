import Broker
import Catalogue
import PhotoModel

/// Reads all state that the broker keeps in memory, at a start and to check a state.
struct StateReader: Querying {
  let connection: SQLiteConnection
  /// The kept catalogue of a library, by its number and name; nil: the rows are read.
  var keptCatalogue: (Int64, LibraryName) throws(SQLiteError) -> Catalogue? = { _, _ in nil }

  func contents() throws(SQLiteError) -> StoreContents {
    var contents = StoreContents()
    let names = try readLibraries(&contents)
    try readApps(&contents)
    try readRights(names, &contents)
    try each("SELECT name, value FROM settings") { row throws(SQLiteError) in
      contents.settings[row.text(0)] = row.text(1)
    }
    return contents
  }

  func connected() -> SQLiteConnection { connection }

  private func readLibraries(_ contents: inout StoreContents) throws(SQLiteError) -> [Int64: LibraryName] {
    var found = try rows(
      """
      SELECT id, name, owner, backend, zone_offset, root_key, next_number, next_sequence, changes_from,
        administrators_see, administrators_decide, cloud_mapping, shares_originals, zone_name, apps_delete,
        default_terms
      FROM libraries ORDER BY name
      """
    ) { row throws(SQLiteError) in
      var record = LibraryRecord(
        name: try row.library(1), owner: try row.number(2), backend: row.text(3), options: [:], offeredTo: [],
        zoneOffsetMinutes: try row.number(4), rootKey: row.blob(5),
        administratorsSee: row.integer(9) != 0, administratorsDecide: row.integer(10) != 0,
        plugins: LibraryPlugins(cloudMapping: row.optionalText(11)))
      record.sharesOriginals = row.integer(12) != 0
      record.zoneName = row.optionalText(13)
      record.appsDelete = row.integer(14) != 0
      record.defaultTerms = try row.known(RecordCoder.decode(row.blob(15), RecordCoder.terms))
      let library = LibraryContents(
        record: record, nextNumber: try row.number(6), nextSequence: UInt64(bitPattern: row.integer(7)))
      return (number: row.integer(0), changesFrom: UInt64(bitPattern: row.integer(8)), contents: library)
    }
    for index in found.indices {
      try read(&found[index].contents, number: found[index].number, changesFrom: found[index].changesFrom)
    }
    contents.libraries = found.map(\.contents)
    return Dictionary(found.map { ($0.number, $0.contents.record.name) }, uniquingKeysWith: { first, _ in first })
  }

  private func readPluginOptions(_ plugins: inout LibraryPlugins, _ number: Int64) throws(SQLiteError) {
    var read = plugins
    try each("SELECT protocol, plugin, name, value FROM library_plugin_options WHERE library = ?", .integer(number)) {
      row throws(SQLiteError) in
      if row.text(0) == "albumPolicy" {
        read.policyOptions[row.text(1), default: [:]][row.text(2)] = row.text(3)
      } else {
        read.mappingOptions[row.text(2)] = row.text(3)
      }
    }
    plugins = read
  }

  private func read(_ library: inout LibraryContents, number: Int64, changesFrom: UInt64) throws(SQLiteError) {
    let name = library.record.name
    var options: [String: String] = [:]
    try each("SELECT name, value FROM library_options WHERE library = ?", .integer(number)) { row throws(SQLiteError) in
      options[row.text(0)] = row.text(1)
    }
    library.record.options = options
    try readPluginOptions(&library.record.plugins, number)
    try each("SELECT role, uid, state, is_open FROM library_invitations WHERE library = ?", .integer(number)) {
      row throws(SQLiteError) in
      let role = try row.known(Invitation.Role(rawValue: row.text(0)))
      library.record[role, try row.number(1)] = Invitation(
        try row.known(Invitation.State(rawValue: row.text(2))), isOpen: row.integer(3) != 0)
    }
    try readCatalogue(&library, number)
    library.albums = try rows(
      "SELECT identifier, title, creator, source, created, members, shared FROM albums WHERE library = ?",
      .integer(number)
    ) { row throws(SQLiteError) in
      var reader = ByteReader(row.blob(5))
      var members: [AssetNumber] = []
      while !reader.isAtEnd {
        members.append(AssetNumber(try row.known(reader.compact().flatMap(UInt32.init(exactly:)))))
      }
      return AlbumRecord(
        identifier: try row.identifier(0), title: row.text(1), creator: try row.optionalApp(2),
        source: try row.known(SourceType(rawValue: row.text(3))), created: row.time(4), members: members,
        isShared: row.integer(6) != 0)
    }
    try each("SELECT app, times, assets, last FROM picker_uses WHERE library = ?", .integer(number)) {
      row throws(SQLiteError) in
      library.pickerUses[try row.app(0)] = PickerUses(
        times: try row.number(1), assets: try row.number(2), last: row.time(3))
    }
    try readPending(&library, number)
    library.nextDetached = try connection.nextDetached(of: number)
    var changes: [ChangeRecord] = []
    try each("SELECT records FROM changes WHERE library = ? ORDER BY first", .integer(number)) {
      row throws(SQLiteError) in
      changes += try row.known(ChangePage.decode(row.blob(0), of: name)).filter { $0.sequence >= changesFrom }
    }
    library.changes = changes
    library.changesForgotten = changesFrom == 0 ? 0 : changesFrom - 1
    library.views = try rows(
      "SELECT app, level, generation, earlier, digest, seen FROM views WHERE library = ?", .integer(number)
    ) { row throws(SQLiteError) in
      ViewRecord(
        grant: GrantKey(library: name, app: try row.app(0), level: try row.level(1)), generation: try row.number(2),
        earlier: UInt64(bitPattern: row.integer(3)), earlierDigest: UInt64(bitPattern: row.integer(4)),
        seen: try row.known(ChangePage.decode(row.blob(5), of: name)))
    }
  }

  /// Reads the kept catalogue, else the rows.
  private func readCatalogue(_ library: inout LibraryContents, _ number: Int64) throws(SQLiteError) {
    guard let catalogue = try keptCatalogue(number, library.record.name) else {
      return try readAssets(&library, number)
    }
    library.catalogue = catalogue
    library.isCatalogueKept = true
    let low = number << 32
    // Without this index SQLite would read the whole library.
    try each(
      "SELECT id, creator FROM assets INDEXED BY assets_by_creator WHERE creator IS NOT NULL AND id >= ? AND id < ?",
      .integer(low),
      .integer(low + (1 << 32))
    ) { row throws(SQLiteError) in
      library.creators[AssetNumber(UInt32(truncatingIfNeeded: row.integer(0)))] = try row.app(1)
    }
  }

  private func readPending(_ library: inout LibraryContents, _ number: Int64) throws(SQLiteError) {
    let (low, high) = (SQLiteValue.integer(number << 32), SQLiteValue.integer((number + 1) << 32))
    library.awaitingTrash = Set(
      try rows("SELECT asset FROM awaiting_trash WHERE asset >= ? AND asset < ?", low, high) { row in
        AssetNumber(key: row.integer(0))
      })
    var deletions: [AssetNumber: Deletion] = [:]
    try each("SELECT asset, app, time FROM deletions WHERE asset >= ? AND asset < ?", low, high) {
      row throws(SQLiteError) in
      deletions[AssetNumber(key: row.integer(0))] = Deletion(app: try row.app(1), time: row.time(2))
    }
    library.deletions = deletions
    library.missing = try rows(
      "SELECT asset, since FROM missing_assets WHERE asset >= ? AND asset < ? ORDER BY since, asset", low, high
    ) { row in (AssetNumber(key: row.integer(0)), row.time(1)) }
  }

  private func readAssets(_ library: inout LibraryContents, _ number: Int64) throws(SQLiteError) {
    let low = number << 32
    let builder = RowTaker()
    try each(
      """
      SELECT id, identifier, created, date_origin, place_shift, added, modified, media_type, subtypes, flags, width,
        height, duration, latitude, longitude, place, version, file_name, creator FROM assets WHERE id >= ? AND id < ?
      """, .integer(low), .integer(low + (1 << 32))
    ) { row throws(SQLiteError) in
      let asset = AssetNumber(UInt32(truncatingIfNeeded: row.integer(0)))
      try builder.take(try row.row(asset, from: 1))
      if let creator = try row.optionalApp(18) { library.creators[asset] = creator }
    }
    library.catalogue = try builder.finish()
  }
}
