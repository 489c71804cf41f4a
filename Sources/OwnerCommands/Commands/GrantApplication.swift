import BrokerInterface
import Varlink

/// Applies the decisions of a declarative file, one after the other, after showing what would change.
struct GrantApplication {
  let invocation: Invocation

  func run(_ plans: [GrantPlan]) throws(CommandError) {
    let isPreview = invocation.arguments.has(.preview)
    if isPreview || invocation.asksFirst {
      var entries: [JSONValue] = []
      for plan in plans { entries.append(.object(try preview(plan))) }
      if isPreview { return try invocation.report(["applied": .bool(false), "grants": .array(entries)]) {} }
      try invocation.confirm("Apply this?")
    }
    var entries: [JSONValue] = []
    for (index, plan) in plans.enumerated() {
      do throws(CommandError) { entries.append(.object(try apply(plan))) } catch {
        let before = index == 0 ? "Nothing was changed before it." : "The \(index) before it are in force."
        throw CommandError(error.code, "Entry \(index + 1), \(plan.app) in \(plan.library): \(error.message) \(before)", answered: error.answered)
      }
    }
    try invocation.report(["applied": .bool(true), "grants": .array(entries)]) {}
  }

  /// What would change, printed, and as a document.
  private func preview(_ plan: GrantPlan) throws(CommandError) -> JSONObject {
    let app = try invocation.app(plan.app)
    let grants = try invocation.call(Admin.ListGrants.self, .init(library: plan.library, app: app)).value.grants
    let now = grants.first { $0.level == plan.level }
    var changes: [String] = []
    if let status = plan.status, status != now?.status { changes.append("\(now.map(Words.status) ?? "notDetermined") becomes \(status)") }
    if let policy = plan.albumPolicy, policy != now?.albumPolicy { changes.append("albums become \(policy)") }
    if let end = plan.expires, end != now?.expires ?? 0 { changes.append("ends \(end == 0 ? "never" : Words.moment(end))") }
    var chosen: [JSONValue] = []
    for selector in plan.selectors {
      let parameters = Admin.FetchOwnedAssets.Parameters(library: plan.library, selector: selector, limit: 5)
      let page = try invocation.call(Admin.FetchOwnedAssets.self, parameters).value
      let names = page.assets.map { $0.path ?? $0.filename } + (page.total > Int64(page.assets.count) ? ["..."] : [])
      changes.append("\(Words.count(page.total, "asset")) selected: \(names.joined(separator: ", "))")
      chosen.append(.integer(page.total))
    }
    let text = changes.isEmpty ? "stays as it is" : changes.joined(separator: "; ")
    invocation.print("\(plan.app), \(plan.level) in \(plan.library): \(text).")
    return [
      "library": .string(plan.library), "app": .string(app), "level": .string(plan.level),
      "before": now.map { JSONValue($0) } ?? .null, "changes": .array(changes.map(JSONValue.string)), "chosen": .array(chosen),
    ]
  }

  private func apply(_ plan: GrantPlan) throws(CommandError) -> JSONObject {
    let app = try invocation.app(plan.app)
    var grant: Admin.GrantInfo?
    if plan.status != nil || plan.albumPolicy != nil || plan.expires != nil {
      let parameters = Admin.SetGrant.Parameters(
        library: plan.library, app: app, level: plan.level, status: plan.status, expires: plan.expires,
        albumPolicy: plan.albumPolicy)
      grant = try invocation.call(Admin.SetGrant.self, parameters).value.grant
    }
    var (added, selected) = (Int64(0), grant?.selected)
    for selector in plan.selectors {
      let edit = try invocation.call(Admin.EditSelection.self, .init(library: plan.library, app: app, add: selector)).value
      (added, selected) = (added + edit.added, edit.selected)
    }
    let status = grant.map { "\($0.status)" } ?? "as before"
    invocation.say("\(plan.app), \(plan.level) in \(plan.library): \(status), \(Words.count(added, "asset")) added.")
    var document: JSONObject = ["library": .string(plan.library), "app": .string(app), "level": .string(plan.level), "added": .integer(added)]
    document["status"] = grant.map { .string($0.status) }
    document["selected"] = selected.map { .integer($0) }
    return document
  }
}
