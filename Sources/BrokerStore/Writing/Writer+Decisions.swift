import Broker
import PhotoModel

extension Writer {
  /// Decisions of a library between two looks at how many there are.
  private static let trimInterval = 256
  /// In the place of a library's number, which is greater than 0: a library that is gone, and none.
  private static let (gone, none): (Int64, Int64) = (0, -1)
  /// Those that apps and users enter by themselves, and those of rules, which apps bring about: an index holds these alone.
  private static let byOthers = "role IN ('app', 'user', 'rule')"

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
      .integer(library ?? (record.library == nil ? Self.none : Self.gone)))
    let entered = connection.lastInserted
    number?.note(UInt64(bitPattern: entered))
    let takes = if record.role == .app, case .album(let change) = change { change.takesAway } else { false }
    // One of a library that is gone is nobody's to undo.
    if let change, library != nil || record.library == nil {
      try connection.run(
        "INSERT INTO decision_changes (decision, library, change, takes) VALUES (?, ?, ?, ?)", .integer(entered), SQLiteValue(library),
        .blob(DecisionChangeCode.encode(change)), .integer(takes ? 1 : 0))
    }
    guard let library else { return try trimUnattached(by: record.actor, record.library == nil ? Self.none : Self.gone, connection) }
    if let words = record.words {
      try connection.run(
        "INSERT INTO decision_words (decision, library, words) VALUES (?, ?, ?)", .integer(entered), .integer(library),
        .blob(ShownWordsCode.encode(words)))
    }
    if [.app, .user, .rule].contains(record.role) {
      try trimDecisions(of: library, by: record, app: app, connection)
      if change != nil { try trimChanges(of: library, by: record, app: app, takes: takes, connection) }
      return
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

  /// Lets the oldest go, of what owners and administrators decided, of what it takes to undo that, and of the words that they answered.
  private func trimDecisions(of library: Int64, _ connection: Connection) throws(SQLiteError) {
    let pile = "FROM decisions WHERE library_number = ?1 AND NOT \(Self.byOthers)"
    let words = "FROM decision_words WHERE library = ?1"
    try connection.run(
      "DELETE \(pile) AND id <= (SELECT id \(pile) ORDER BY id DESC LIMIT 1 OFFSET ?2)", .integer(library),
      SQLiteValue(options.decisionCapacity))
    let changes =
      "FROM decision_changes WHERE library = ?1 "
      + "AND decision NOT IN (SELECT id FROM decisions WHERE library_number = ?1 AND \(Self.byOthers))"
    try connection.run(
      "DELETE \(changes) AND decision <= (SELECT decision \(changes) ORDER BY decision DESC LIMIT 1 OFFSET ?2)", .integer(library),
      SQLiteValue(options.undoCapacity))
    try connection.run(
      "DELETE \(words) AND decision <= (SELECT decision \(words) ORDER BY decision DESC LIMIT 1 OFFSET ?2)", .integer(library),
      SQLiteValue(options.wordsCapacity))
  }

  /// Lets the oldest go of what it takes to undo what an app or a user entered by themselves, or a rule answered an app, a tenth as many as
  /// an owner's: only their own. Of what took something from an owner's albums as many as an owner's, for which nothing else makes room.
  private func trimChanges(
    of library: Int64, by record: DecisionRecord, app: SQLiteValue, takes: Bool, _ connection: Connection
  ) throws(SQLiteError) {
    func trim(_ condition: String, to kept: Int) throws(SQLiteError) {
      let rows =
        "FROM decision_changes WHERE library = ?1 AND takes = ?4 AND decision IN (SELECT id FROM decisions "
        + "WHERE library_number = ?1 AND \(Self.byOthers) AND actor = ?2 AND role = ?3\(condition))"
      let values: [SQLiteValue] = [
        .integer(library), SQLiteValue(record.actor), .text(record.role.rawValue), .integer(takes ? 1 : 0), SQLiteValue(kept),
      ]
      try connection.run(
        "DELETE \(rows) AND decision <= (SELECT decision \(rows) ORDER BY decision DESC LIMIT 1 OFFSET ?5)",
        condition.isEmpty ? values : values + [app])
    }
    try trim(" AND app = ?6", to: takes ? options.undoCapacity : max(1, options.undoCapacity / 10))
    if record.role == .rule { try trim("", to: options.undoCapacity) }
  }

  /// Lets the oldest go of what an app or a user entered by themselves, or a rule answered, after each: only their own make room, so that
  /// they push out nothing that an owner decided, or that others did, and nothing that undoes what was taken from albums.
  private func trimDecisions(of library: Int64, by record: DecisionRecord, app: SQLiteValue, _ connection: Connection) throws(SQLiteError) {
    func trim(_ condition: String, _ values: [SQLiteValue]) throws(SQLiteError) {
      let pile =
        "FROM decisions WHERE library_number = ?1 AND \(Self.byOthers) AND actor = ?2 AND role = ?3\(condition) "
        + "AND id NOT IN (SELECT decision FROM decision_changes WHERE library = ?1 AND takes = 1)"
      let oldest = "\(pile) AND id <= (SELECT id \(pile) ORDER BY id DESC LIMIT 1 OFFSET ?4)"
      try connection.run("DELETE FROM decision_changes WHERE decision IN (SELECT id \(oldest))", values)
      try connection.run("DELETE \(oldest)", values)
    }
    let pile: [SQLiteValue] = [.integer(library), SQLiteValue(record.actor), .text(record.role.rawValue)]
    let kept = max(1, options.decisionCapacity / 100)
    if record.role != .user { try trim(" AND app = ?5", pile + [SQLiteValue(kept), app]) }
    // Of all apps of a user, who can introduce one after the other.
    try trim("", pile + [SQLiteValue(record.role == .user ? kept : 10 * kept)])
  }

  /// Lets a user's oldest decisions go that belong to libraries that are gone, or to none.
  private func trimUnattached(by actor: UInt32, _ place: Int64, _ connection: Connection) throws(SQLiteError) {
    let pile = "FROM decisions WHERE library_number <= 0 AND library_number = ?1 AND actor = ?2"
    let oldest = "\(pile) AND id <= (SELECT id \(pile) ORDER BY id DESC LIMIT 1 OFFSET ?3)"
    let values: [SQLiteValue] = [.integer(place), SQLiteValue(actor), SQLiteValue(max(1, options.decisionCapacity / 10))]
    if place == Self.none { try connection.run("DELETE FROM decision_changes WHERE decision IN (SELECT id \(oldest))", values) }
    try connection.run("DELETE \(oldest)", values)
  }

  /// Counts a piece of a removed library's decisions with those of libraries that are gone. False where none was left.
  func detachDecisions(of library: Int64, _ connection: Connection) throws(SQLiteError) -> Bool {
    var (last, actors): (Int64?, Set<UInt32>) = (nil, [])
    try each("SELECT id, actor FROM decisions WHERE library_number = ? ORDER BY id LIMIT 500", .integer(library)) {
      row throws(SQLiteError) in
      last = row.integer(0)
      actors.insert(try row.number(1))
    }
    guard let last else { return false }
    try connection.run(
      "UPDATE decisions SET library_number = ? WHERE library_number = ? AND id <= ?", .integer(Self.gone), .integer(library), .integer(last)
    )
    for actor in actors { try trimUnattached(by: actor, Self.gone, connection) }
    return true
  }

  func note(_ app: FormerApp) throws(SQLiteError) {
    let connection = try connected()
    try connection.run(
      "INSERT OR REPLACE INTO former_apps (app, claimed, uid, others) VALUES (?, ?, ?, ?)", .identifier(app.identifier.value),
      .text(app.claimed), SQLiteValue(app.uid), .integer(app.isKnownToOthers ? 1 : 0))
    let pile = "FROM former_apps WHERE uid = ?1 AND others = ?2"
    try connection.run(
      "DELETE \(pile) AND id <= (SELECT id \(pile) ORDER BY id DESC LIMIT 1 OFFSET ?3)", SQLiteValue(app.uid),
      .integer(app.isKnownToOthers ? 1 : 0), SQLiteValue(options.formerAppCapacity))
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
