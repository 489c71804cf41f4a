import Broker

extension Writer {
  func put(_ record: LibraryRecord) throws(SQLiteError) {
    let connection = try connected()
    let isNew = try optionalNumber(of: record.name) == nil
    try connection.run(
      """
      INSERT INTO libraries (name, owner, backend, zone_offset, root_key, administrators_see, administrators_decide,
        cloud_mapping, shares_originals, zone_name, apps_delete, default_terms)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      ON CONFLICT DO UPDATE SET owner = ?2, backend = ?3, zone_offset = ?4, root_key = ?5, administrators_see = ?6,
        administrators_decide = ?7, cloud_mapping = ?8, shares_originals = ?9, zone_name = ?10, apps_delete = ?11,
        default_terms = ?12
      """, .text(record.name.description), SQLiteValue(record.owner), .text(record.backend),
      SQLiteValue(record.zoneOffsetMinutes), .blob(record.rootKey), SQLiteValue(record.administratorsSee),
      SQLiteValue(record.administratorsDecide), SQLiteValue(record.plugins.cloudMapping),
      SQLiteValue(record.sharesOriginals), SQLiteValue(record.zoneName), SQLiteValue(record.appsDelete),
      .blob(RecordCoder.encode(record.defaultTerms, RecordCoder.terms)))
    let library = try number(of: record.name)
    database.cache.ledgers[library] = nil
    if isNew {
      let start = LedgerChain.start
      try connection.run(
        "INSERT INTO ledgers (library, next_entry, anchor, head, seal) VALUES (?1, 1, ?2, ?2, ?3)", .integer(library),
        .blob(start), .blob(LedgerChain(rootKey: record.rootKey).seal(next: 1, anchor: start, head: start)))
    }
    try connection.run("DELETE FROM library_options WHERE library = ?", .integer(library))
    for (name, value) in record.options {
      try connection.run(
        "INSERT INTO library_options (library, name, value) VALUES (?, ?, ?)", .integer(library), .text(name),
        .text(value))
    }
    try put(record.plugins, of: library)
    try connection.run("DELETE FROM library_invitations WHERE library = ?", .integer(library))
    for (key, invitation) in record.invitations {
      try connection.run(
        "INSERT INTO library_invitations (library, role, uid, state, is_open) VALUES (?, ?, ?, ?, ?)",
        .integer(library), .text(key.role.rawValue), SQLiteValue(key.user), .text(invitation.state.rawValue),
        SQLiteValue(invitation.isOpen))
    }
  }

  private func put(_ plugins: LibraryPlugins, of library: Int64) throws(SQLiteError) {
    let connection = try connected()
    try connection.run("DELETE FROM library_plugin_options WHERE library = ?", .integer(library))
    func insert(_ kind: String, _ plugin: String, _ options: [String: String]) throws(SQLiteError) {
      for (name, value) in options {
        try connection.run(
          "INSERT INTO library_plugin_options (library, protocol, plugin, name, value) VALUES (?, ?, ?, ?, ?)",
          .integer(library), .text(kind), .text(plugin), .text(name), .text(value))
      }
    }
    try insert("cloudMapping", "", plugins.mappingOptions)
    for (policy, options) in plugins.policyOptions { try insert("albumPolicy", policy, options) }
  }

  /// Removes a library. Keys, grants and totals go at once, so that nothing of it can be read.
  /// Assets, changes, ledger and decisions are erased in pieces, so that other libraries need not
  /// wait (R128, R129).
  func remove(_ library: LibraryName) throws(SQLiteError) {
    guard let number = try optionalNumber(of: library) else { return }
    let connection = try connected()
    try assets.forgetCatalogue(of: number)
    try connection.run("INSERT OR IGNORE INTO erasures (library) VALUES (?)", .integer(number))
    try connection.run("DELETE FROM libraries WHERE id = ?", .integer(number))
    for name in SettingName.all(of: library) { try connection.run("DELETE FROM settings WHERE name = ?", .text(name)) }
    database.cache.libraries[library] = nil
    database.cache.ledgers[number] = nil
    hasErasures = true
  }

  func eraseMore() {
    do {
      let connection = try connected()
      guard let library = try first("SELECT library FROM erasures LIMIT 1", body: { $0.integer(0) }) else {
        hasErasures = false
        return
      }
      try connection.execute("BEGIN IMMEDIATE")
      if try !erasePiece(of: library, connection) {
        try connection.run("DELETE FROM erasures WHERE library = ?", .integer(library))
        ledger.forgetDeliveries(of: library)
      }
      try connection.execute("COMMIT")
      database.noteCommitted(on: connection)
    } catch {
      // The next start tries again: a failing disk must not be kept busy by this.
      database.discard()
      hasErasures = false
    }
  }

  /// Returns false if nothing was left.
  private func erasePiece(of library: Int64, _ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    if try eraseAssets(from: library << 32, connection) { return true }
    for text in [
      "DELETE FROM changes WHERE library = ?1 AND first IN (SELECT first FROM changes WHERE library = ?1 LIMIT 50)",
      """
      DELETE FROM ledger_blocks WHERE library = ?1
      AND first IN (SELECT first FROM ledger_blocks WHERE library = ?1 LIMIT 50)
      """,
      """
      DELETE FROM delivered_assets WHERE library = ?1
        AND (app, asset) IN (SELECT app, asset FROM delivered_assets WHERE library = ?1 LIMIT 500)
      """,
      """
      DELETE FROM detached_files WHERE library = ?1
      AND number IN (SELECT number FROM detached_files WHERE library = ?1 LIMIT 500)
      """,
    ] {
      if try connection.run(text, .integer(library)) > 0 { return true }
    }
    return try decisions.detach(of: library, connection)
  }

  /// Erases a piece of the assets with keys from `low` on; false if none was left.
  private func eraseAssets(from low: Int64, _ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    let last = try first(
      "SELECT max(id) FROM (SELECT id FROM assets WHERE id >= ? AND id < ? ORDER BY id LIMIT 500)", .integer(low),
      .integer(low + (1 << 32))
    ) { row in row.optionalInteger(0) }
    guard case let last?? = last else { return false }
    for table in ["awaiting_trash", "deletions", "missing_assets", "resources"] {
      try connection.run("DELETE FROM \(table) WHERE asset >= ? AND asset <= ?", .integer(low), .integer(last))
    }
    try connection.run("DELETE FROM assets WHERE id >= ? AND id <= ?", .integer(low), .integer(last))
    return true
  }
}
