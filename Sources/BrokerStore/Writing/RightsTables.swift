import Broker
import PhotoModel

/// Apps, grants with their selections, tokens, requests and rules.
struct RightsTables: Tables {
  let database: StateDatabase

  func put(_ record: AppRecord) throws(SQLiteError) {
    let connection = try connected()
    let app = SQLiteValue.identifier(record.identifier.value)
    let manifest = record.manifest
    try connection.run(
      """
      INSERT INTO apps (identifier, claimed, display_name, has_screen, prevents_alert, uid, system_identity, executable,
        is_interpreter, introduced, accessor, registrar, is_read_only)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      ON CONFLICT DO UPDATE SET claimed = ?2, display_name = ?3, has_screen = ?4, prevents_alert = ?5, uid = ?6,
        system_identity = ?7, executable = ?8, is_interpreter = ?9, introduced = ?10, accessor = ?11, registrar = ?12,
        is_read_only = ?13
      """, app, .text(manifest.identifier), .text(manifest.displayName), SQLiteValue(manifest.hasScreen),
      SQLiteValue(manifest.preventsAutomaticLimitedAccessAlert), SQLiteValue(record.uid),
      SQLiteValue(record.systemIdentity),
      SQLiteValue(record.executable), SQLiteValue(record.isInterpreter), .integer(record.introduced.microseconds),
      .identifier(record.accessor.value), SQLiteValue(record.registrar.map(Int64.init)),
      SQLiteValue(manifest.isReadOnly))
    try connection.run("DELETE FROM app_texts WHERE app = ?", app)
    for (purpose, text) in [("read", manifest.usageDescription), ("add", manifest.addUsageDescription)] {
      // The default text has an empty language.
      let words = text.translations.map { ($0.key, $0.value) } + (text.defaultText.map { [("", $0)] } ?? [])
      for (language, words) in words {
        try connection.run(
          "INSERT OR REPLACE INTO app_texts (app, purpose, language, words) VALUES (?, ?, ?, ?)", app, .text(purpose),
          .text(language), .text(words))
      }
    }
  }

  func put(_ record: GrantRecord) throws(SQLiteError) {
    let key = record.key
    try connected().run(
      """
      INSERT INTO grants (library, app, level, status, is_paused, expires, album_policy, role, decided, accessor, epoch,
        view_generation, view_since, source, decider, origin, paused_by, end_set_by, agreement, terms,
        is_once, live)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
      ON CONFLICT DO UPDATE SET status = ?4, is_paused = ?5, expires = ?6, album_policy = ?7, role = ?8, decided = ?9,
        accessor = ?10, epoch = ?11, view_generation = ?12, view_since = ?13, source = ?14, decider = ?15, origin = ?16,
        paused_by = ?17, end_set_by = ?18, agreement = ?19, terms = ?20, is_once = ?21, live = ?22
      """, .integer(try number(of: key.library)), .identifier(key.app.value), .text(key.level.rawValue),
      SQLiteValue(record.status.rawValue), SQLiteValue(record.isPaused), SQLiteValue(record.expires?.microseconds),
      .text(record.albumPolicy), .text(record.role.rawValue), .integer(record.decided.microseconds),
      .identifier(record.accessor.value), SQLiteValue(record.epoch), SQLiteValue(record.viewGeneration),
      SQLiteValue(record.viewSince), .text(record.source.rawValue), SQLiteValue(record.decider), .text(record.origin),
      SQLiteValue(record.pausedBy?.rawValue), SQLiteValue(record.endSetBy?.rawValue),
      SQLiteValue(record.agreement.map { RecordCoder.encode($0, RecordCoder.agreement) }),
      .blob(RecordCoder.encode(record.terms, RecordCoder.terms)), SQLiteValue(record.isOnce),
      SQLiteValue(record.live.map { RecordCoder.encode($0, RecordCoder.live) }))
  }

  func removeGrant(_ key: GrantKey) throws(SQLiteError) {
    for table in ["grants", "views", "selections"] {
      try connected().run(
        "DELETE FROM \(table) WHERE library = ? AND app = ? AND level = ?", .integer(try number(of: key.library)),
        .identifier(key.app.value), .text(key.level.rawValue))
    }
  }

  func putSelection(_ key: GrantKey, _ chunks: [(index: UInt32, bytes: [UInt8])]) throws(SQLiteError) {
    let library = SQLiteValue.integer(try number(of: key.library))
    let connection = try connected()
    for chunk in chunks {
      if chunk.bytes.isEmpty {
        try connection.run(
          "DELETE FROM selections WHERE library = ? AND app = ? AND level = ? AND chunk = ?", library,
          .identifier(key.app.value), .text(key.level.rawValue), SQLiteValue(chunk.index))
      } else {
        try connection.run(
          """
          INSERT INTO selections (library, app, level, chunk, members) VALUES (?1, ?2, ?3, ?4, ?5)
          ON CONFLICT DO UPDATE SET members = ?5
          """, library, .identifier(key.app.value), .text(key.level.rawValue), SQLiteValue(chunk.index),
          .blob(chunk.bytes))
      }
    }
  }

  func removeSelection(_ key: GrantKey) throws(SQLiteError) {
    try connected().run(
      "DELETE FROM selections WHERE library = ? AND app = ? AND level = ?", .integer(try number(of: key.library)),
      .identifier(key.app.value), .text(key.level.rawValue))
  }

  func put(_ record: TokenRecord) throws(SQLiteError) {
    let library: SQLiteValue
    if let key = record.grant { library = .integer(try number(of: key.library)) } else { library = .null }
    try connected().run(
      """
      INSERT INTO tokens (accessor, app, library, level, minted, is_revoked, parent, name, uid, ends)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      ON CONFLICT DO UPDATE SET app = ?2, library = ?3, level = ?4, minted = ?5, is_revoked = ?6, parent = ?7,
        name = ?8, uid = ?9, ends = ?10
      """, .identifier(record.accessor.value), .identifier(record.app.value), library,
      SQLiteValue(record.grant?.level.rawValue), .integer(record.minted.microseconds), SQLiteValue(record.isRevoked),
      record.child.map { .identifier($0.parent.value) } ?? .null, SQLiteValue(record.child?.name),
      SQLiteValue(record.child.map { Int64($0.uid) }), SQLiteValue(record.child?.end?.microseconds))
  }

  func put(_ record: TakenBudget) throws(SQLiteError) {
    try connected().run(
      """
      INSERT INTO token_budgets (accessor, key, taken) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET taken = max(taken, ?3)
      """, .identifier(record.accessor.value), .blob(record.key), .integer(record.taken))
  }

  func put(_ record: PromptRecord) throws(SQLiteError) {
    try connected().run(
      """
      INSERT INTO prompts (identifier, kind, library, app, level, asked, exceeded) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT DO UPDATE SET kind = ?2, library = ?3, app = ?4, level = ?5, asked = ?6, exceeded = ?7
      """, .identifier(record.identifier.value), .text(record.kind.rawValue),
      .integer(try number(of: record.key.library)),
      .identifier(record.key.app.value), .text(record.key.level.rawValue), .integer(record.asked.microseconds),
      SQLiteValue(record.exceeded?.rawValue))
  }

  func note(_ app: FormerApp) throws(SQLiteError) {
    let connection = try connected()
    try connection.run(
      "INSERT OR REPLACE INTO former_apps (app, claimed, uid, others) VALUES (?, ?, ?, ?)",
      .identifier(app.identifier.value),
      .text(app.claimed), SQLiteValue(app.uid), .integer(app.isKnownToOthers ? 1 : 0))
    let rows = "FROM former_apps WHERE uid = ?1 AND others = ?2"
    try connection.run(
      "DELETE \(rows) AND id <= (SELECT id \(rows) ORDER BY id DESC LIMIT 1 OFFSET ?3)", SQLiteValue(app.uid),
      .integer(app.isKnownToOthers ? 1 : 0), SQLiteValue(database.options.formerAppCapacity))
  }

  func put(_ rule: RuleRecord) throws(SQLiteError) {
    try connected().run(
      "INSERT INTO rules (library, name, record) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET record = ?3",
      .integer(try number(of: rule.library)), .text(rule.name), .blob(RecordCoder.encode(rule, RecordCoder.rule)))
  }

  func removeRule(_ name: String, of library: LibraryName) throws(SQLiteError) {
    try connected().run(
      "DELETE FROM rules WHERE library = ? AND name = ?", .integer(try number(of: library)), .text(name))
  }
}
