import BrokerInterface

/// What was handed over, and what was decided.
enum LedgerCommands {
  private static let asset = CommandOption("asset", "ID", "only this asset")

  static let log = Command(
    "log", "Show who got which asset, newest first", [.library], options: [.inApp, asset, .limit]
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var parameters = Admin.ReadLedger.Parameters(library: arguments[.library])
    parameters.asset = arguments[asset]
    parameters.limit = try arguments.integer(.limit, in: 1...1_000)
    parameters.app = try invocation.app(.inApp)
    try invocation.report(invocation.call(Admin.ReadLedger.self, parameters)) { reply in
      var table = Table("TIME", "APP", "ASSET", "WHAT", "SIZE", "TOKEN")
      for entry in reply.entries {
        if entry.gap {
          table.add(Words.moment(entry.time), "the broker stopped here without a clean end; up to a second may be missing")
        } else {
          table.add(
            Words.moment(entry.time), entry.identifier, entry.asset, entry.rendition,
            entry.bytes > 0 ? Words.bytes(entry.bytes) : "-", entry.accessor)
        }
      }
      invocation.print(table, whenEmpty: "Nothing was handed over.")
    }
  }

  private static let maybeLibrary = Operand("LIBRARY", "only this library", count: .optional)

  static let decisions = Command(
    "decisions", "Show who decided what, newest first", [maybeLibrary], options: [.limit]
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let parameters = Admin.ListDecisions.Parameters(
      library: arguments.all(maybeLibrary).first, limit: try arguments.integer(.limit, in: 1...1_000))
    try invocation.report(invocation.call(Admin.ListDecisions.self, parameters)) { reply in
      var table = Table("DECISION", "TIME", "BY", "FROM", "ACTION", "LIBRARY", "APP", "LEVEL", "BEFORE", "AFTER")
      for decision in reply.decisions {
        table.add(
          "\(decision.decision)", Words.moment(decision.time), "\(decision.role), user \(decision.actor)", decision.origin,
          decision.action, decision.library, decision.app, decision.level, decision.before, decision.after)
      }
      invocation.print(table, whenEmpty: "Nothing was decided yet.")
    }
  }
}
