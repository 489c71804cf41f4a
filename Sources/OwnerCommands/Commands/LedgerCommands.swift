import BrokerInterface
import Limits
import Varlink

/// Commands that show the ledger and the decisions, and undo a decision.
enum LedgerCommands {
  private static let asset = CommandOption("asset", "ID", "only this asset")
  private static let since = CommandOption(
    "since", "DATE", "only from this time on, for instance 7d, yesterday or 2026-05")
  private static let check = CommandOption("verify", "check whether the record is whole, and list nothing")
  private static let cursor = CommandOption("cursor", "CURSOR", "the page after the one that ended with this cursor")

  static let log = Command(
    "log", "Show who got which asset, newest first", [.library],
    options: [.inApp, asset, since, .limit, cursor, check],
    discussion: "With --verify, a record that was changed or cut outside of the broker is an error."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    if arguments.has(check) { return try verify(invocation) }
    var parameters = Admin.ReadLedger.Parameters(library: arguments[.library])
    parameters.asset = try arguments[asset].map { (typed) throws(CommandError) in
      try invocation.asset(typed, in: parameters.library)
    }
    parameters.since = try arguments.past(since)
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
      var table = Table("TIME", "APP", "FILE", "ASSET", "WHAT", "SIZE", "TOKEN", spare: ["TOKEN"])
      for entry in reply.entries {
        if entry.gap {
          table.add(
            Words.moment(entry.time), "the broker ended abruptly here; up to a second of entries may be missing")
        } else {
          table.add(
            Words.moment(entry.time), app(entry.identifier.isEmpty ? nil : entry.identifier, entry.app, entry.removed),
            entry.filename ?? "-",
            entry.asset,
            entry.rendition == "notCleaned" ? "not given: it cannot be cleaned" : entry.rendition,
            entry.bytes > 0 ? Words.bytes(entry.bytes) : "-", entry.accessor)
        }
      }
      let isDamaged = reply.damaged ?? false
      if isDamaged { invocation.say(damaged(parameters.library)) }
      let none = isDamaged ? "It has no entry that can be read." : "No app received anything."
      invocation.print(table, whenEmpty: parameters.cursor == nil ? none : noneOlder)
      sayMore(reply.cursor, invocation)
      if reply.trimmed { invocation.say("Older entries were deleted: a library keeps its latest million.") }
    }
  }

  private static func verify(_ invocation: Invocation) throws(CommandError) {
    let library = invocation.arguments[.library]
    let answer = try invocation.call(Admin.VerifyLedger.self, .init(library: library))
    guard answer.value.intact else {
      try invocation.report(answer) { _ in }
      throw CommandError(.failed, "\(damaged(library)) The first wrong entry is \(answer.value.damagedAt ?? 1).")
    }
    try invocation.report(answer) { reply in
      invocation.print("The record of \(library) is whole: \(Amount.count(reply.entries ?? 0, "entry", "entries")).")
    }
  }

  private static func damaged(_ library: String) -> String {
    "The record of deliveries of \(library) was changed or cut outside of the broker. Compare it with a backup."
  }

  private static func app(_ identifier: String?, _ app: String, _ wasRemoved: Bool?) -> String {
    (identifier ?? app) + (wasRemoved ?? false ? " (removed)" : "")
  }

  private static func sayMore(_ cursor: String?, _ invocation: Invocation) {
    if let cursor { invocation.say("For older ones, repeat the command with \(self.cursor.typed) \(cursor)") }
  }

  private static let noneOlder = "There is nothing older."

  private static let maybeLibrary = Operand(
    "LIBRARY", "only this library", count: .optional, values: .listed([.libraries]))

  static let decisions = Command(
    "decisions", "Show who decided what, newest first", [maybeLibrary],
    options: [.inApp, asset, since, .limit, cursor],
    discussion:
      "photobroker undo undoes decisions with a star, unless the same thing was decided again since. Undone "
      + "decisions are marked. An answer to a request keeps the app's words of that time. --asset shows the changes of "
      + "one photo, and needs its library."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var parameters = Admin.ListDecisions.Parameters(
      library: arguments.all(maybeLibrary).first, limit: try arguments.integer(.limit, in: 1...1_000))
    parameters.since = try arguments.past(since)
    parameters.cursor = arguments[cursor]
    parameters.asset = try arguments[asset].map { (typed) throws(CommandError) in
      guard let library = parameters.library else { throw .usage("\(asset.typed) needs the library of the asset.") }
      return try invocation.asset(typed, in: library)
    }
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
        "DECISION", "TIME", "BY", "VIA", "PROGRAM", "ACTION", "LIBRARY", "APP", "LEVEL", "BEFORE", "AFTER",
        "APP'S WORDS",
        spare: ["PROGRAM", "VIA", "APP'S WORDS", "LEVEL", "BY", "LIBRARY"])
      let undone = takenBack(reply.decisions)
      for decision in reply.decisions {
        let isUndone = undone.contains(decision.decision)
        table.add(
          "\(decision.decision)\(decision.undoable && !isUndone ? "*" : "")", Words.moment(decision.time),
          "\(decision.role), \(Words.user(decision.actor))", AccessWords.sources.shown(decision.source),
          decision.origin,
          (DecidedPhotos.action(decision) ?? AccessWords.actions.shown(decision.action))
            + (decision.undoes.map { " \($0)\(action($0, reply.decisions))" } ?? "")
            + (isUndone ? ", undone" : ""),
          decision.library ?? "-",
          decision.app.map { app(decision.identifier, $0, decision.removed) } ?? "-",
          decision.level.map(AccessWords.levels.shown) ?? "-", before(decision), after(decision),
          decision.words.map(Words.claimed) ?? "-")
      }
      invocation.print(table, whenEmpty: parameters.cursor == nil ? "No decisions yet." : noneOlder)
      sayMore(reply.cursor, invocation)
    }
  }

  /// The decisions that another one undid, without those whose undo was undone. Newest first.
  ///
  /// - Parameter later: those of the pages before.
  private static func takenBack(_ decisions: [Admin.DecisionInfo], later: Set<Int64> = []) -> Set<Int64> {
    decisions.reduce(into: later) { back, decision in
      if let undone = decision.undoes, !back.contains(decision.decision) { back.insert(undone) }
    }
  }

  private static func before(_ decision: Admin.DecisionInfo) -> String {
    decision.photo.map { DecidedPhotos.values($0.before) ?? "-" } ?? Words.outcome(decision.before, at: decision.level)
  }

  private static func after(_ decision: Admin.DecisionInfo) -> String {
    decision.photo.map { DecidedPhotos.values($0.after) ?? "-" } ?? Words.outcome(decision.after, at: decision.level)
  }

  /// The action of a decision on this page; empty for others.
  private static func action(_ number: Int64, _ decisions: [Admin.DecisionInfo]) -> String {
    decisions.first { $0.decision == number }.map {
      " (\(DecidedPhotos.action($0) ?? AccessWords.actions.shown($0.action)), \(Words.moment($0.time)))"
    } ?? ""
  }

  private static let number = Operand(
    "DECISION", "the decision's number, as listed by decisions; left out for your latest one", count: .optional)
  private static let changer = CommandOption(
    "app", "APP", "undo all changes of this app, with --since",
    values: .listed([.apps]))

  static let undo = Command(
    "undo", "Undo a decision, your latest or another, or all changes of an app since a time", [number],
    options: [changer, since],
    discussion: """
      Without a number it undoes your latest decision that it can, and says which; repeated, it goes further \
      back. The earlier setting comes back. An undo is a decision too, and can be undone. It is refused if the same \
      setting was changed since. A revoked token never comes back: an app that regains access gets another one. With \
      --app and --since, an app's changes of photos and albums are undone, newest first; those that somebody changed \
      again stay.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let decision: Int64
    if let text = arguments.all(number).first {
      guard let number = Int64(text), number > 0 else {
        throw .usage("\(text) is not a decision's number. List them: photobroker decisions")
      }
      decision = number
      if invocation.asksFirst {
        try confirm(listed(decision, invocation), invocation)
      } else {
        try invocation.confirmWidening { () throws(CommandError) in
          try Widening(undoing: listed(decision, invocation), invocation)
        }
      }
    } else if let time = try arguments.past(since), arguments.has(changer) {
      return try undoChanges(since: time, invocation)
    } else {
      guard !arguments.has(since), !arguments.has(changer) else {
        throw .usage("Name an app with --app and a time with --since, or a decision.")
      }
      let latest = try latest(invocation)
      decision = latest.decision
      // Another decision may have come since a script looked.
      guard invocation.asksFirst || arguments.has(.yes) else {
        throw .usage("Your latest decision is \(decision). Name it, or add --yes.")
      }
      try confirm(latest, invocation)
    }
    try invocation.report(invocation.call(Admin.UndoDecision.self, .init(decision: decision))) { reply in
      invocation.print("Decision \(decision) is undone.")
      if let grant = reply.grant { GrantCommands.sayGrant(grant, invocation) }
      invocation.print(reply.receipt, ends: false)
    }
  }

  /// Undoes an app's changes of photos and albums, newest first.
  private static func undoChanges(since time: Int64, _ invocation: Invocation) throws(CommandError) {
    var parameters = Admin.ListDecisions.Parameters(since: time, limit: 1_000)
    (parameters.app, parameters.identifier) = try invocation.recordedApps(changer)
    let listed = try invocation.callForAll(Admin.ListDecisions.self, parameters).value.decisions
    let undone = takenBack(listed)
    let changes = listed.filter {
      $0.role == "app" && $0.action != "mint" && $0.undoable && !undone.contains($0.decision)
    }
    let counted = Amount.count(changes.count, "change")
    if !changes.isEmpty, invocation.asksFirst { try invocation.confirm("Undo \(counted)?") }
    var (count, refused): (Int64, Int64) = (0, 0)
    for change in changes {
      do throws(CommandError) {
        _ = try invocation.call(Admin.UndoDecision.self, .init(decision: change.decision))
        count += 1
      } catch {
        guard [.badData, .notFound].contains(error.code) else { throw error }
        refused += 1
        invocation.warn("Decision \(change.decision) stays: \(error.message)")
      }
    }
    try invocation.report(["undone": .integer(count), "refused": .integer(refused)]) {
      invocation.say("\(Amount.count(count, "change")) undone.")
    }
  }

  /// The caller's latest decision that an undo can take back. It is no undo, so that repeated undos go
  /// further back.
  private static func latest(_ invocation: Invocation) throws(CommandError) -> Admin.DecisionInfo {
    let caller = try invocation.call(Admin.GetStatus.self, .init()).value.caller
    var parameters = Admin.ListDecisions.Parameters(limit: 1_000)
    var undone: Set<Int64> = []
    repeat {
      let page = try invocation.call(Admin.ListDecisions.self, parameters).value
      undone = takenBack(page.decisions, later: undone)
      let found = page.decisions.first {
        $0.actor == caller && decidedByPerson.contains($0.source) && $0.undoable && $0.undoes == nil
          && !undone.contains($0.decision)
      }
      if let found { return found }
      parameters.cursor = page.cursor
    } while parameters.cursor != nil
    throw CommandError(
      .notFound, "You made no decision that can be undone. List the decisions: photobroker decisions")
  }

  private static let decidedByPerson = ["prompt", "settings", "file", "administrator"]

  /// A decision by its number.
  private static func listed(_ decision: Int64, _ invocation: Invocation) throws(CommandError) -> Admin.DecisionInfo {
    let parameters = Admin.ListDecisions.Parameters(limit: 1, cursor: "\(decision &+ 1)")
    guard decision < .max, let found = try invocation.call(Admin.ListDecisions.self, parameters).value.decisions.first,
      found.decision == decision
    else {
      throw CommandError(.notFound, "There is no decision \(decision). List them: photobroker decisions")
    }
    return found
  }

  /// Shows the decision and asks. An undo that is impossible is not asked about: the broker's error
  /// says why.
  private static func confirm(_ found: Admin.DecisionInfo, _ invocation: Invocation) throws(CommandError) {
    guard found.undoable else { return }
    let place = [
      found.app.map { app(found.identifier, $0, found.removed) }, found.level.map(AccessWords.levels.shown),
      found.library,
    ].compactMap {
      $0
    }.map { ", \($0)" }
      .joined()
    let (before, after) = (before(found), after(found))
    let action = DecidedPhotos.action(found) ?? AccessWords.actions.shown(found.action)
    invocation.print("\(action)\(place), \(Words.moment(found.time)): \(before) became \(after).")
    if invocation.asksFirst { try invocation.confirm("Undo this?") }
  }
}
