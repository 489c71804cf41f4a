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
      INSERT INTO decisions (time, actor, role, origin, action, library, app, level, before, after, source, undoes, library_number)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .integer(record.time.microseconds), SQLiteValue(record.actor), .text(record.role.rawValue), .text(record.origin),
      .text(record.action), .text(record.library?.description ?? ""), app, .text(record.level?.rawValue ?? ""), .text(record.before),
      .text(record.after), .text(record.source.rawValue), SQLiteValue(record.undoes.map { Int64(bitPattern: $0) }),
      SQLiteValue(library))
    number?.note(UInt64(bitPattern: connection.lastInserted))
    // One of a library that is gone is nobody's to undo.
    if let change, library != nil || record.library == nil {
      try connection.run(
        "INSERT INTO decision_changes (decision, library, change) VALUES (last_insert_rowid(), ?, ?)", SQLiteValue(library),
        .blob(DecisionChangeCode.encode(change)))
    }
    guard let library else { return }
    decisionsSinceTrim[library, default: 0] += 1
    if decisionsSinceTrim[library, default: 0] >= Self.trimInterval {
      decisionsSinceTrim[library] = 0
      try trimDecisions(of: library, connection)
    }
  }

  /// Lets the oldest go, of decisions and of what it takes to undo them.
  private func trimDecisions(of library: Int64, _ connection: Connection) throws(SQLiteError) {
    for (statement, kept) in [
      (
        "DELETE FROM decisions WHERE library_number = ?1 AND id <= (SELECT id FROM decisions WHERE library_number = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        options.decisionCapacity
      ),
      (
        "DELETE FROM decision_changes WHERE library = ?1 AND decision <= (SELECT decision FROM decision_changes WHERE library = ?1 ORDER BY decision DESC LIMIT 1 OFFSET ?2)",
        options.undoCapacity
      ),
    ] {
      try connection.run(statement, .integer(library), SQLiteValue(kept))
    }
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
