import Broker
import PhotoModel

extension StateReader {
  func readApps(_ contents: inout StoreContents) throws(SQLiteError) {
    var texts: [AppIdentifier: (read: LocalizedText, add: LocalizedText)] = [:]
    let none = LocalizedText(defaultText: nil)
    try each("SELECT app, purpose, language, words FROM app_texts") { row throws(SQLiteError) in
      var both = texts[try row.app(0)] ?? (none, none)
      let purpose = row.text(1) == "read" ? \(read: LocalizedText, add: LocalizedText).read : \.add
      let language = row.text(2)
      if language.isEmpty {
        both[keyPath: purpose].defaultText = row.text(3)
      } else {
        both[keyPath: purpose].translations[language] = row.text(3)
      }
      texts[try row.app(0)] = both
    }
    contents.apps = try rows(
      """
      SELECT identifier, claimed, display_name, has_screen, prevents_alert, uid, system_identity, executable,
        is_interpreter, introduced, accessor, registrar, is_read_only FROM apps ORDER BY identifier
      """
    ) { row throws(SQLiteError) in
      let identifier = try row.app(0)
      let manifest = Manifest(
        identifier: row.text(1), displayName: row.text(2), hasScreen: row.integer(3) != 0,
        usageDescription: texts[identifier]?.read ?? none, addUsageDescription: texts[identifier]?.add ?? none,
        preventsAutomaticLimitedAccessAlert: row.integer(4) != 0, isReadOnly: row.integer(12) != 0)
      return AppRecord(
        identifier: identifier, manifest: manifest, uid: try row.number(5), systemIdentity: row.optionalText(6),
        executable: row.optionalText(7), isInterpreter: row.integer(8) != 0, introduced: row.time(9),
        accessor: try row.identifier(10), registrar: row.isNull(11) ? nil : try row.number(11))
    }
    contents.formerApps = try rows("SELECT app, claimed, uid, others FROM former_apps ORDER BY id") {
      row throws(SQLiteError) in
      FormerApp(
        identifier: try row.app(0), claimed: row.text(1), uid: try row.number(2), isKnownToOthers: row.integer(3) != 0)
    }
  }

  func readRights(_ names: [Int64: LibraryName], _ contents: inout StoreContents) throws(SQLiteError) {
    func key(_ row: Statement, _ first: Int) throws(SQLiteError) -> GrantKey {
      GrantKey(
        library: try row.known(names[row.integer(first)]), app: try row.app(first + 1), level: try row.level(first + 2))
    }
    contents.grants = try rows(
      """
      SELECT library, app, level, status, is_paused, expires, album_policy, role, decided, accessor, epoch,
        view_generation, view_since, source, decider, origin, paused_by, end_set_by, agreement,
        terms, is_once, live FROM grants
      """
    ) { row throws(SQLiteError) in
      GrantRecord(
        key: try key(row, 0), status: try row.known(AuthorizationStatus(rawValue: try row.number(3))),
        isPaused: row.integer(4) != 0, expires: row.optionalTime(5), albumPolicy: row.text(6), role: try row.role(7),
        decided: row.time(8), accessor: try row.identifier(9), epoch: UInt64(bitPattern: row.integer(10)),
        viewGeneration: try row.number(11), viewSince: UInt64(bitPattern: row.integer(12)),
        source: try row.known(DecisionSource(rawValue: row.text(13))), decider: try row.number(14),
        origin: row.text(15), pausedBy: try row.optionalRole(16), isOnce: row.integer(20) != 0,
        endSetBy: try row.optionalRole(17),
        agreement: row.isNull(18) ? nil : try row.known(RecordCoder.decode(row.blob(18), RecordCoder.agreement)),
        terms: try row.known(RecordCoder.decode(row.blob(19), RecordCoder.terms)),
        live: row.isNull(21) ? nil : try row.known(RecordCoder.decode(row.blob(21), RecordCoder.live)))
    }
    var selections: [GrantKey: [(index: UInt32, bytes: [UInt8])]] = [:]
    try each("SELECT library, app, level, chunk, members FROM selections ORDER BY chunk") { row throws(SQLiteError) in
      selections[try key(row, 0), default: []].append((try row.number(3), row.blob(4)))
    }
    contents.selections = selections
    contents.tokens = try rows(
      "SELECT library, app, level, accessor, minted, is_revoked, parent, name, uid, ends FROM tokens"
    ) { row throws(SQLiteError) in
      let child =
        row.isNull(6)
        ? nil
        : ChildToken(
          parent: try row.identifier(6), name: row.text(7), uid: try row.number(8), end: row.optionalTime(9))
      return TokenRecord(
        accessor: try row.identifier(3), app: try row.app(1), grant: row.isNull(0) ? nil : try key(row, 0),
        minted: row.time(4), isRevoked: row.integer(5) != 0, child: child)
    }
    contents.budgets = try rows("SELECT accessor, key, taken FROM token_budgets") { row throws(SQLiteError) in
      TakenBudget(accessor: try row.identifier(0), key: row.blob(1), taken: row.integer(2))
    }
    contents.prompts = try rows(
      "SELECT library, app, level, identifier, kind, asked, exceeded FROM prompts ORDER BY asked"
    ) { row throws(SQLiteError) in
      PromptRecord(
        identifier: try row.app(3), kind: try row.known(PromptRecord.Kind(rawValue: row.text(4))),
        key: try key(row, 0), asked: row.time(5),
        exceeded: row.isNull(6) ? nil : try row.known(Allowance.Limit(rawValue: row.text(6))))
    }
    contents.rules = try rows("SELECT library, name, record FROM rules") { row throws(SQLiteError) in
      var rule = try row.known(RecordCoder.decode(row.blob(2), RecordCoder.rule))
      (rule.library, rule.name) = (try row.known(names[row.integer(0)]), row.text(1))
      return rule
    }
  }
}
