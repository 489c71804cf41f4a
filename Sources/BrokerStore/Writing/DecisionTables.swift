import Broker
import PhotoModel

/// The record of decisions, with the changes that undo them.
final class DecisionTables: Tables {
  let database: StateDatabase
  private var decisionsSinceTrim: [Int64: Int] = [:]
  /// Entries since the last trim, by group.
  private var entriesSinceTrim: [String: Int] = [:]

  /// The quotas of undoable changes, as the table's column `takes` has them.
  private enum ChangeKind: Int64 {
    case plain, taking, content, large
  }
  /// Bytes from which a change of an app's own album counts as large.
  private static let largeChange = 4_096
  private static let trimInterval = 256
  /// Entries of a group between two trims.
  private static let pileInterval = 32
  /// Limit of quota groups whose new entries are counted.
  private static let countedGroups = 4_096
  /// Library numbers of decisions about removed libraries and about no library. Numbers of existing
  /// libraries are positive.
  private static let (gone, none): (Int64, Int64) = (0, -1)
  /// The decisions of apps and users, and those of rules, which apps cause. An index covers exactly
  /// these.
  private static let byOthers = "role IN ('app', 'user', 'rule')"

  init(database: StateDatabase) { self.database = database }

  func insert(_ record: DecisionRecord, _ change: DecisionChange?, _ number: DecisionNumber?) throws(SQLiteError) {
    let connection = try connected()
    let library: Int64? = if let name = record.library { try optionalNumber(of: name) } else { nil }
    let app: SQLiteValue
    if let identifier = record.app { app = .identifier(identifier.value) } else { app = .blob([]) }
    let subject = try subject(of: record, app: app)
    try connection.run(
      """
      INSERT INTO decisions (id, time, actor, role, origin, action, library, app, level, before, after, source, undoes,
        library_number, subject)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .integer(try freeNumber(at: record.time)), .integer(record.time.microseconds), SQLiteValue(record.actor),
      .text(record.role.rawValue), .text(record.origin),
      .text(record.action), .text(record.library?.description ?? ""), app, .text(record.level?.rawValue ?? ""),
      .text(record.before),
      .text(record.after), .text(record.source.rawValue), SQLiteValue(record.undoes.map { Int64(bitPattern: $0) }),
      .integer(library ?? (record.library == nil ? Self.none : Self.gone)), SQLiteValue(subject))
    let entered = connection.lastInserted
    number?.note(UInt64(bitPattern: entered))
    var kind = ChangeKind.plain
    // A decision of a removed library cannot be undone.
    if let change, library != nil || record.library == nil {
      let object = RecordCoder.encode(change.object, RecordCoder.object)
      let assets = RecordCoder.encode(change.assets, RecordCoder.assets)
      if record.role == .app {
        let isLarge = object.count + assets.count > Self.largeChange
        kind = change.isOfOwn(record.app) ? (isLarge ? .large : .content) : change.takesAway ? .taking : .plain
      }
      try connection.run(
        "INSERT INTO decision_changes (decision, library, change, assets, takes) VALUES (?, ?, ?, ?, ?)",
        .integer(entered), SQLiteValue(library), .blob(object), .blob(assets), .integer(kind.rawValue))
    }
    guard let library else {
      return try trimUnattached(by: record.actor, record.library == nil ? Self.none : Self.gone, connection)
    }
    if let words = record.words {
      try connection.run(
        "INSERT INTO decision_words (decision, library, words) VALUES (?, ?, ?)", .integer(entered), .integer(library),
        .blob(RecordCoder.encode(words, RecordCoder.words)))
    }
    if let subject {
      let group = QuotaGroup(library: library, actor: record.actor, role: record.role, subject: subject)
      if kind == .content || kind == .large { return try trimContent(of: group, app, kind, connection) }
      if isDue(group, record.app) { try trim(group, app: app, connection) }
      if isDue(group, nil) { try trim(group, app: nil, connection) }
      return
    }
    decisionsSinceTrim[library, default: 0] += 1
    if decisionsSinceTrim[library, default: 0] >= Self.trimInterval {
      decisionsSinceTrim[library] = 0
      try trimDecisions(of: library, connection)
    }
  }

  /// The decisions of one user's apps, of that user, or of a rule about these apps. Each group has its
  /// own quota.
  private struct QuotaGroup: Hashable {
    let library: Int64
    let actor: UInt32
    let role: DecisionRole
    let subject: Int64

    static let condition =
      "library_number = ?1 AND \(DecisionTables.byOthers) AND actor = ?2 AND role = ?3 AND subject = ?4"
    var values: [SQLiteValue] { [.integer(library), SQLiteValue(actor), .text(role.rawValue), .integer(subject)] }
  }

  /// The user whose apps caused a decision; nil for decisions of owners and administrators, -1 for
  /// an unknown app.
  private func subject(of record: DecisionRecord, app: SQLiteValue) throws(SQLiteError) -> Int64? {
    switch record.role {
    case .app, .user: return Int64(record.actor)
    case .rule:
      var user: Int64 = -1
      try each("SELECT uid FROM former_apps WHERE app = ?1 UNION ALL SELECT uid FROM apps WHERE identifier = ?1", app) {
        row in
        user = row.integer(0)
      }
      return user
    default: return nil
    }
  }

  /// A new decision number, greater than all before: the time. Gaps between counted numbers would
  /// reveal other owners' decisions. If the time is taken or was set back, a random step is added
  /// instead.
  private func freeNumber(at time: Timestamp) throws(SQLiteError) -> Int64 {
    let latest = try first("SELECT max(id) FROM decisions") { row in row.integer(0) } ?? 0
    let now = min(time.microseconds, .max / 2)
    return now > latest ? now : latest + Int64.random(in: 1...1_000_000)
  }

  /// Deletes the oldest decisions of owners and administrators, the oldest undoable changes, and
  /// the oldest words.
  private func trimDecisions(of library: Int64, _ connection: SQLiteConnection) throws(SQLiteError) {
    let group = "FROM decisions WHERE library_number = ?1 AND NOT \(Self.byOthers)"
    let words = "FROM decision_words WHERE library = ?1"
    try connection.run(
      "DELETE \(group) AND id <= (SELECT id \(group) ORDER BY id DESC LIMIT 1 OFFSET ?2)", .integer(library),
      SQLiteValue(database.options.decisionCapacity))
    let changes =
      "FROM decision_changes WHERE library = ?1 "
      + "AND decision NOT IN (SELECT id FROM decisions WHERE library_number = ?1 AND \(Self.byOthers))"
    try connection.run(
      "DELETE \(changes) AND decision <= (SELECT decision \(changes) ORDER BY decision DESC LIMIT 1 OFFSET ?2)",
      .integer(library),
      SQLiteValue(database.options.undoCapacity))
    try connection.run(
      "DELETE \(words) AND decision <= (SELECT decision \(words) ORDER BY decision DESC LIMIT 1 OFFSET ?2)",
      .integer(library),
      SQLiteValue(database.options.wordsCapacity))
  }

  /// Whether a group, or an app's part of it, has enough new entries for a trim. A trim reads the
  /// whole group.
  private func isDue(_ group: QuotaGroup, _ app: AppIdentifier?) -> Bool {
    let interval =
      database.options.undoCapacity < 1_000 || database.options.decisionCapacity < 100_000 ? 1 : Self.pileInterval
    // A reset loses counts of single apps; the group of all apps of a user is still trimmed.
    return isDue("\(group) \(app?.description ?? "")", every: interval)
  }

  private func isDue(_ key: String, every interval: Int) -> Bool {
    if entriesSinceTrim.count > Self.countedGroups { entriesSinceTrim = [:] }
    entriesSinceTrim[key, default: 0] += 1
    guard entriesSinceTrim[key, default: 0] >= interval else { return false }
    entriesSinceTrim[key] = nil
    return true
  }

  /// Deletes a group's oldest decisions and undos, down to the group's quota. The decisions of owners
  /// and of other users stay. Undos of an app's removals from albums have a separate quota, as large
  /// as an owner's.
  /// - Parameter app: The app whose entries are trimmed. Nil: all apps of the user share one quota,
  ///   because a user can register many apps.
  private func trim(_ group: QuotaGroup, app: SQLiteValue?, _ connection: SQLiteConnection) throws(SQLiteError) {
    let kept = max(1, database.options.decisionCapacity / 100), undone = max(1, database.options.undoCapacity / 10)
    if let app {
      if group.role != .user { try trimDecisions(of: group, app, to: kept, connection) }
      try trimChanges(of: group, app, takes: false, to: undone, connection)
      if group.role == .app {
        try trimChanges(of: group, app, takes: true, to: database.options.undoCapacity, connection)
      }
    } else {
      try trimDecisions(of: group, nil, to: group.role == .user ? kept : 10 * kept, connection)
      if group.role == .rule {
        try trimChanges(of: group, nil, takes: false, to: database.options.undoCapacity, connection)
      }
      if group.role == .app {
        try trimChanges(of: group, nil, takes: true, to: 10 * database.options.undoCapacity, connection)
      }
    }
  }

  private func trimChanges(
    of group: QuotaGroup, _ app: SQLiteValue?, takes: Bool, to kept: Int, _ connection: SQLiteConnection
  )
    throws(SQLiteError)
  {
    let rows =
      "FROM decision_changes WHERE library = ?1 AND takes = ?5 AND decision IN (SELECT id FROM decisions "
      + "WHERE \(QuotaGroup.condition)\(app == nil ? "" : " AND app = ?7"))"
    try connection.run(
      "DELETE \(rows) AND decision <= (SELECT decision \(rows) ORDER BY decision DESC LIMIT 1 OFFSET ?6)",
      group.values + [.integer(takes ? 1 : 0), SQLiteValue(kept)] + (app.map { [$0] } ?? []))
  }

  /// Deletes an app's oldest changes of assets and of its own albums, and those of all apps of its
  /// user. They displace no other decision.
  private func trimContent(of group: QuotaGroup, _ app: SQLiteValue, _ kind: ChangeKind, _ connection: SQLiteConnection)
    throws(SQLiteError)
  {
    let capacity = database.options.undoCapacity
    let kept = max(1, kind == .content ? 10 * capacity : capacity / 10)
    guard isDue("\(group) \(kind)", every: kept / 16 + 1) else { return }
    let ofAll =
      "FROM decisions WHERE \(QuotaGroup.condition) "
      + "AND EXISTS (SELECT 1 FROM decision_changes WHERE decision = decisions.id AND takes = ?5)"
    for (rows, kept, app) in [("\(ofAll) AND app = ?7", kept, [app]), (ofAll, 2 * kept, [])] {
      let oldest = "\(rows) AND id <= (SELECT id \(rows) ORDER BY id DESC LIMIT 1 OFFSET ?6)"
      let values = group.values + [.integer(kind.rawValue), SQLiteValue(kept)] + app
      var ids: [Int64] = []
      try connection.each("SELECT id \(oldest)", values) { row in ids.append(row.integer(0)) }
      for id in ids {
        try connection.run("DELETE FROM decisions WHERE id = ?", .integer(id))
        try connection.run("DELETE FROM decision_changes WHERE decision = ?", .integer(id))
      }
    }
  }

  private func trimDecisions(of group: QuotaGroup, _ app: SQLiteValue?, to kept: Int, _ connection: SQLiteConnection)
    throws(SQLiteError)
  {
    let rows =
      "FROM decisions WHERE \(QuotaGroup.condition)\(app == nil ? "" : " AND app = ?6") "
      + "AND NOT EXISTS (SELECT 1 FROM decision_changes WHERE decision = decisions.id AND takes > 0)"
    let oldest = "\(rows) AND id <= (SELECT id \(rows) ORDER BY id DESC LIMIT 1 OFFSET ?5)"
    let values = group.values + [SQLiteValue(kept)] + (app.map { [$0] } ?? [])
    try connection.run("DELETE FROM decision_changes WHERE decision IN (SELECT id \(oldest))", values)
    try connection.run("DELETE \(oldest)", values)
  }

  /// Deletes a user's oldest decisions of removed libraries, or about no library.
  private func trimUnattached(by actor: UInt32, _ place: Int64, _ connection: SQLiteConnection) throws(SQLiteError) {
    let group = "FROM decisions WHERE library_number <= 0 AND library_number = ?1 AND actor = ?2"
    let oldest = "\(group) AND id <= (SELECT id \(group) ORDER BY id DESC LIMIT 1 OFFSET ?3)"
    let values: [SQLiteValue] = [
      .integer(place), SQLiteValue(actor), SQLiteValue(max(1, database.options.decisionCapacity / 10)),
    ]
    if place == Self.none {
      try connection.run("DELETE FROM decision_changes WHERE decision IN (SELECT id \(oldest))", values)
    }
    try connection.run("DELETE \(oldest)", values)
  }

  /// Moves up to 500 decisions of a removed library to the decisions of removed libraries; false if
  /// there were none.
  func detach(of library: Int64, _ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    var (last, actors): (Int64?, Set<UInt32>) = (nil, [])
    try each("SELECT id, actor FROM decisions WHERE library_number = ? ORDER BY id LIMIT 500", .integer(library)) {
      row throws(SQLiteError) in
      last = row.integer(0)
      actors.insert(try row.number(1))
    }
    guard let last else { return false }
    try connection.run(
      "UPDATE decisions SET library_number = ? WHERE library_number = ? AND id <= ?", .integer(Self.gone),
      .integer(library), .integer(last)
    )
    for actor in actors { try trimUnattached(by: actor, Self.gone, connection) }
    return true
  }
}
