import Broker
import PhotoModel

extension Writer {
  /// Decisions of a library between two looks at how many there are.
  private static let trimInterval = 256

  /// Enters a decision, and what it takes to undo it.
  func insert(_ record: DecisionRecord, _ change: DecisionChange?, _ number: DecisionNumber?) throws(SQLiteError) {
    let connection = try connected()
    let library: Int64? = if let name = record.library { try optionalNumber(of: name) } else { nil }
    let app: SQLiteValue
    if let identifier = record.app { app = .identifier(identifier.value) } else { app = .blob([]) }
    try connection.run(
      """
      INSERT INTO decisions
        (id, time, actor, role, origin, action, library, app, level, before, after, source, undoes, library_number)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .integer(try freeNumber(at: record.time)), .integer(record.time.microseconds), SQLiteValue(record.actor),
      .text(record.role.rawValue), .text(record.origin),
      .text(record.action), .text(record.library?.description ?? ""), app, .text(record.level?.rawValue ?? ""), .text(record.before),
      .text(record.after), .text(record.source.rawValue), SQLiteValue(record.undoes.map { Int64(bitPattern: $0) }),
      SQLiteValue(library))
    let entered = connection.lastInserted
    number?.note(UInt64(bitPattern: entered))
    // One of a library that is gone is nobody's to undo.
    if let change, library != nil || record.library == nil {
      try connection.run(
        "INSERT INTO decision_changes (decision, library, change) VALUES (?, ?, ?)", .integer(entered), SQLiteValue(library),
        .blob(DecisionChangeCode.encode(change)))
    }
    guard let library else { return }
    if let words = record.words {
      try connection.run(
        "INSERT INTO decision_words (decision, library, words) VALUES (?, ?, ?)", .integer(entered), .integer(library),
        .blob(ShownWordsCode.encode(words)))
    }
    decisionsSinceTrim[library, default: 0] += 1
    if decisionsSinceTrim[library, default: 0] >= Self.trimInterval {
      decisionsSinceTrim[library] = 0
      try trimDecisions(of: library, connection)
    }
  }

  /// A number for one more decision, greater than all before: the time. Counted, the gaps in one owner's numbers would tell of the
  /// others' decisions; so where the time is taken, or was set back, what comes on top is drawn by lot.
  private func freeNumber(at time: Timestamp) throws(SQLiteError) -> Int64 {
    var latest: Int64 = 0
    try each("SELECT max(id) FROM decisions") { row in latest = row.optionalInteger(0) ?? 0 }
    let now = min(time.microseconds, .max / 2)
    return now > latest ? now : latest + Int64.random(in: 1...1_000_000)
  }

  /// Lets the oldest go, of decisions, of what it takes to undo them, and of the words that they answered.
  private func trimDecisions(of library: Int64, _ connection: Connection) throws(SQLiteError) {
    // What apps and the users of apps enter by themselves pushes nothing out that an owner decided.
    func oldest(_ condition: String) -> String {
      let pile = "FROM decisions WHERE library_number = ?1 AND role \(condition) ('app', 'user')"
      return "DELETE \(pile) AND id <= (SELECT id \(pile) ORDER BY id DESC LIMIT 1 OFFSET ?2)"
    }
    func oldest(of table: String) -> String {
      "DELETE FROM \(table) WHERE library = ?1 AND decision <= (SELECT decision FROM \(table) WHERE library = ?1 ORDER BY decision DESC LIMIT 1 OFFSET ?2)"
    }
    for (statement, kept) in [
      (oldest("NOT IN"), options.decisionCapacity), (oldest("IN"), max(1, options.decisionCapacity / 10)),
      (oldest(of: "decision_changes"), options.undoCapacity), (oldest(of: "decision_words"), options.wordsCapacity),
    ] {
      try connection.run(statement, .integer(library), SQLiteValue(kept))
    }
  }

  func note(_ app: FormerApp) throws(SQLiteError) {
    let connection = try connected()
    try connection.run(
      "INSERT OR REPLACE INTO former_apps (app, claimed, uid) VALUES (?, ?, ?)", .identifier(app.identifier.value), .text(app.claimed),
      SQLiteValue(app.uid))
    try connection.run(
      "DELETE FROM former_apps WHERE uid = ?1 AND id <= (SELECT id FROM former_apps WHERE uid = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
      SQLiteValue(app.uid), SQLiteValue(options.formerAppCapacity))
  }

  func put(_ rule: RuleRecord) throws(SQLiteError) {
    try connected().run(
      "INSERT INTO rules (library, name, record) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET record = ?3",
      .integer(try number(of: rule.library)), .text(rule.name), .blob(RuleCode.encode(rule)))
  }

  func removeRule(_ name: String, of library: LibraryName) throws(SQLiteError) {
    try connected().run("DELETE FROM rules WHERE library = ? AND name = ?", .integer(try number(of: library)), .text(name))
  }
}
