import Broker
import PhotoModel

extension DecisionTables {
  func page(_ query: DecisionQuery) throws(SQLiteError) -> DecisionPage {
    var numbers: [Int64] = []
    for library in query.libraries ?? [] {
      if let number = try optionalNumber(of: library) { numbers.append(number) }
    }
    let list: String? = query.libraries == nil ? nil : "[" + numbers.map(String.init).joined(separator: ",") + "]"
    let apps = query.apps.map { apps in "[" + apps.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
    let asset = query.asset.map(DecisionRecord.words(of:))
    var entries = try rows(
      """
      SELECT \(Self.decisionColumns), change FROM decisions LEFT JOIN decision_changes ON decision = decisions.id
      WHERE (?1 IS NULL OR library_number IN (SELECT value FROM json_each(?1)))
        AND (?2 IS NULL OR lower(hex(app)) IN (SELECT value FROM json_each(?2)))
        AND time >= ?3 AND decisions.id < ?4 AND \(asset == nil ? "?6 IS NULL" : "after = ?6 AND \(Schema.isOfAsset)")
      ORDER BY decisions.id DESC LIMIT ?5
      """, SQLiteValue(list), SQLiteValue(apps), .integer(query.since?.microseconds ?? .min),
      .integer(query.before.flatMap { Int64(exactly: $0) } ?? .max), SQLiteValue(min(query.limit, Int(Int32.max)) + 1),
      SQLiteValue(asset)
    ) { row throws(SQLiteError) in
      // A decision with a damaged change cannot be undone, but is still listed.
      try row.decision(change: row.object().map { DecisionChange($0) })
    }
    guard entries.count > query.limit else { return DecisionPage(entries: entries) }
    entries.removeLast(entries.count - query.limit)
    return DecisionPage(entries: entries, next: entries.last?.number)
  }

  func decision(_ number: UInt64) throws(SQLiteError) -> KeptDecision? {
    guard let number = Int64(exactly: number) else { return nil }
    // A decision of a removed library cannot be undone, even if another library has its name now.
    return try first(
      """
      SELECT \(Self.decisionColumns), change, assets
      FROM decisions LEFT JOIN decision_changes ON decision = decisions.id
      WHERE decisions.id = ? AND (decisions.library = '' OR library_number IN (SELECT id FROM libraries))
      """, .integer(number)
    ) { row throws(SQLiteError) in try row.decision(change: row.isNull(14) ? nil : try row.change()) }
  }

  /// Later undoable decisions about the same library, app and level, in ascending order. For a
  /// decision on an album, those of other apps too.
  func later(like kept: KeptDecision, after number: UInt64, limit: Int) throws(SQLiteError) -> [KeptDecision] {
    let decision = kept.record
    let library: Int64? = if let name = decision.library { try optionalNumber(of: name) } else { nil }
    let app: SQLiteValue
    if let identifier = decision.app { app = .identifier(identifier.value) } else { app = .blob([]) }
    return try rows(
      """
      SELECT \(Self.decisionColumns), change, assets FROM decision_changes JOIN decisions ON decisions.id = decision
      WHERE decision_changes.library IS ?1 AND decision > ?2 AND (?6 OR app = ?3) AND level = ?4
      ORDER BY decision LIMIT ?5
      """, SQLiteValue(library), .integer(Int64(clamping: number)), app, .text(decision.level?.rawValue ?? ""),
      SQLiteValue(limit),
      .integer(kept.isOnAlbum ? 1 : 0)
    ) { row throws(SQLiteError) in try row.decision(change: try row.change()) }
  }

  private static let decisionColumns = """
    decisions.id, time, actor, role, origin, action, decisions.library, app, level, before, after, source, undoes,
      (SELECT words FROM decision_words WHERE decision = decisions.id)
    """
}

extension Statement {
  /// A decision from the current row, whose first columns are those of `decisionColumns`.
  fileprivate func decision(change: DecisionChange?) throws(SQLiteError) -> KeptDecision {
    let decider = Decider(
      uid: try number(2), role: try role(3), origin: text(4), source: try known(DecisionSource(rawValue: text(11))))
    let record = DecisionRecord(
      time: time(1), by: decider, action: text(5), library: text(6).isEmpty ? nil : try library(6),
      app: blob(7).isEmpty ? nil : try app(7), level: text(8).isEmpty ? nil : try level(8), before: text(9),
      after: text(10),
      undoes: optionalInteger(12).map { UInt64(bitPattern: $0) },
      words: isNull(13) ? nil : try known(RecordCoder.decode(blob(13), RecordCoder.words)))
    return KeptDecision(number: UInt64(bitPattern: integer(0)), record: record, change: change)
  }

  fileprivate func object() -> DecisionChange.Object? { RecordCoder.decode(blob(14), RecordCoder.object) }

  fileprivate func change() throws(SQLiteError) -> DecisionChange {
    DecisionChange(try known(object()), try known(RecordCoder.decode(blob(15), RecordCoder.assets)))
  }
}
