import BrokerInterface

/// Commands that show the ledger and the decisions, and undo a decision.
enum LedgerCommands {
  private static let asset = CommandOption("asset", "ID", "only this asset")
  private static let since = CommandOption("since", "DATE", "only from this time on, for instance -7d")
  private static let cursor = CommandOption("cursor", "CURSOR", "the page after the one that ended with this cursor")

  static let log = Command(
    "log", "Show who got which asset, newest first", [.library], options: [.inApp, asset, since, .limit, cursor]
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var parameters = Admin.ReadLedger.Parameters(library: arguments[.library])
    parameters.asset = arguments[asset]
    parameters.since = try arguments[since].map { (text) throws(CommandError) in try Moment.parse(text, of: since.typed)
    }
    parameters.limit = try arguments.integer(.limit, in: 1...1_000)
    parameters.cursor = arguments[cursor]
    (parameters.app, parameters.identifier) = try invocation.recordedApps(.inApp)
    let answer = try invocation.call(Admin.ReadLedger.self, parameters)
    if answer.value.entries.allSatisfy(\.gap) {
      let all = Admin.ReadLedger.Parameters(
        library: parameters.library, app: parameters.app, identifier: parameters.identifier)
      try invocation.requireRecorded(parameters.app, parameters.identifier) { () throws(CommandError) in
        try invocation.call(Admin.ReadLedger.self, all).value.entries.contains { !$0.gap }
      }
    }
    try invocation.report(answer) { reply in
      var table = Table("TIME", "APP", "FILE", "ASSET", "WHAT", "SIZE", "TOKEN")
      for entry in reply.entries {
        if entry.gap {
          table.add(
            Words.moment(entry.time), "the broker stopped here without a clean end; up to a second may be missing")
        } else {
          table.add(
            Words.moment(entry.time), app(entry.identifier.isEmpty ? nil : entry.identifier, entry.app, entry.removed),
            entry.filename ?? "-",
            entry.asset,
            entry.rendition,
            entry.bytes > 0 ? Words.bytes(entry.bytes) : "-", entry.accessor)
        }
      }
      invocation.print(table, whenEmpty: parameters.cursor == nil ? "Nothing was handed over." : noneOlder)
      sayMore(reply.cursor, invocation)
      if reply.trimmed { invocation.say("Older entries were let go; a library keeps its latest million.") }
    }
  }

  private static func app(_ identifier: String?, _ app: String, _ wasRemoved: Bool?) -> String {
    (identifier ?? app) + (wasRemoved ?? false ? " (removed)" : "")
  }

  private static func sayMore(_ cursor: String?, _ invocation: Invocation) {
    if let cursor { invocation.say("Older ones: \(self.cursor.typed) \(cursor), with the same options.") }
  }

  private static let noneOlder = "There is nothing older."

  private static let maybeLibrary = Operand("LIBRARY", "only this library", count: .optional)

  static let decisions = Command(
    "decisions", "Show who decided what, newest first", [maybeLibrary], options: [.inApp, since, .limit, cursor],
    discussion:
      "Those with a star can be undone, unless the same was decided again since: photobroker undo. What was taken back by one that is listed "
      + "says so. An answer to an app's question keeps "
      + "the words that it was an answer to, whatever the app says of itself later."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var parameters = Admin.ListDecisions.Parameters(
      library: arguments.all(maybeLibrary).first, limit: try arguments.integer(.limit, in: 1...1_000))
    parameters.since = try arguments[since].map { (text) throws(CommandError) in try Moment.parse(text, of: since.typed)
    }
    parameters.cursor = arguments[cursor]
    (parameters.app, parameters.identifier) = try invocation.recordedApps(.inApp)
    let answer = try invocation.call(Admin.ListDecisions.self, parameters)
    if answer.value.decisions.isEmpty {
      let all = Admin.ListDecisions.Parameters(
        library: parameters.library, app: parameters.app, limit: 1, identifier: parameters.identifier)
      try invocation.requireRecorded(parameters.app, parameters.identifier) { () throws(CommandError) in
        try !invocation.call(Admin.ListDecisions.self, all).value.decisions.isEmpty
      }
    }
    try invocation.report(answer) { reply in
      var table = Table(
        "DECISION", "TIME", "BY", "VIA", "FROM", "ACTION", "LIBRARY", "APP", "LEVEL", "BEFORE", "AFTER", "TO THE WORDS")
      let undone = takenBack(reply.decisions)
      for decision in reply.decisions {
        let isUndone = undone.contains(decision.decision)
        table.add(
          "\(decision.decision)\(decision.undoable && !isUndone ? "*" : "")", Words.moment(decision.time),
          "\(decision.role), \(Words.user(decision.actor))", decision.source, decision.origin,
          decision.action + (decision.undoes.map { " \($0)\(action($0, reply.decisions))" } ?? "")
            + (isUndone ? ", taken back" : ""),
          decision.library ?? "-",
          decision.app.map { app(decision.identifier, $0, decision.removed) } ?? "-",
          decision.level ?? "-", Words.outcome(decision.before), Words.outcome(decision.after),
          decision.words.map(Words.claimed) ?? "-")
      }
      invocation.print(table, whenEmpty: parameters.cursor == nil ? "Nothing was decided yet." : noneOlder)
      sayMore(reply.cursor, invocation)
    }
  }

  /// The decisions that another one undid, without those whose undo was undone. Newest first.
  private static func takenBack(_ decisions: [Admin.DecisionInfo]) -> Set<Int64> {
    decisions.reduce(into: []) { back, decision in
      if let undone = decision.undoes, !back.contains(decision.decision) { back.insert(undone) }
    }
  }

  /// The action of a decision on this page; empty for others.
  private static func action(_ number: Int64, _ decisions: [Admin.DecisionInfo]) -> String {
    decisions.first { $0.decision == number }.map { " (\($0.action), \(Words.moment($0.time)))" } ?? ""
  }

  private static let number = Operand("DECISION", "the decision's number, as listed by decisions")

  static let undo = Command(
    "undo", "Take a decision back", [number],
    discussion: """
      What it set is set as it was before; that is a decision of its own, and can be undone in turn. It is refused where what \
      it set was changed or decided again since. A revoked token never comes back: where access does, the app is given another one.
      """
  ) { invocation throws(CommandError) in
    let text = invocation.arguments[number]
    guard let decision = Int64(text), decision > 0 else {
      throw .usage("\(text) is no decision's number; see photobroker decisions.")
    }
    if invocation.asksFirst { try confirm(decision, invocation) }
    try invocation.report(invocation.call(Admin.UndoDecision.self, .init(decision: decision))) { reply in
      invocation.print("Decision \(decision) is undone.")
      if let grant = reply.grant { GrantCommands.sayGrant(grant, invocation) }
      if !Words.isEmpty(reply.receipt) { for line in Words.receipt(reply.receipt) { invocation.print(line) } }
    }
  }

  /// Shows the decision and asks. An undo that is impossible is not asked about: the broker's error
  /// says why.
  private static func confirm(_ decision: Int64, _ invocation: Invocation) throws(CommandError) {
    let parameters = Admin.ListDecisions.Parameters(limit: 1, cursor: "\(decision + 1)")
    guard let found = try invocation.call(Admin.ListDecisions.self, parameters).value.decisions.first,
      found.decision == decision
    else {
      throw CommandError(.notFound, "No decision \(decision) is known to you; see photobroker decisions.")
    }
    guard found.undoable else { return }
    let place = [found.app.map { app(found.identifier, $0, found.removed) }, found.level, found.library].compactMap {
      $0
    }.map { ", \($0)" }
      .joined()
    let (before, after) = (Words.outcome(found.before), Words.outcome(found.after))
    invocation.print("\(found.action)\(place), \(Words.moment(found.time)): \(before) became \(after).")
    try invocation.confirm("Take this back?")
  }
}
