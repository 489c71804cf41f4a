import BrokerInterface
import Limits

/// Adds assets to a selection or removes them. On a terminal it previews the edit and asks first.
/// The confirmed edit is the previewed one: it names the shown assets, so later imports stay out.
/// If not all were shown, it carries the preview's outcome, and a different effect is refused.
struct SelectionEdit {
  let adds: Bool

  func run(_ invocation: Invocation) throws(CommandError) {
    let arguments = invocation.arguments
    guard !arguments.has(SelectorOptions.live) || !arguments.has(SelectorOptions.notLive) else {
      throw .usage("Give --live or --not-live.")
    }
    let isLive = arguments.has(SelectorOptions.live) ? true : arguments.has(SelectorOptions.notLive) ? false : nil
    let selector = isLive == false ? try SelectorOptions.selector(arguments) : try SelectorOptions.required(arguments)
    let app = try invocation.app(arguments[.app])
    let whole = try invocation.whole(selector, in: arguments[.library])
    var parameters = Admin.EditSelection.Parameters(
      library: arguments[.library], app: app, add: adds ? whole : nil, remove: adds ? nil : whole, live: isLive)
    if arguments.has(.preview) {
      parameters.preview = true
      return try invocation.report(invocation.call(Admin.EditSelection.self, parameters)) { reply in
        show(reply, isPreview: true, invocation)
      }
    }
    if !invocation.asksFirst, !arguments.has(.yes), let add = parameters.add, SelectorOptions.isLarge(add) {
      parameters.preview = true
      try invocation.confirmWidening(
        invocation.call(Admin.EditSelection.self, parameters).value.added, of: arguments[.app])
      parameters.preview = nil
    }
    if invocation.asksFirst {
      parameters.preview = true
      let preview = try invocation.call(Admin.EditSelection.self, parameters).value
      show(preview, isPreview: true, invocation)
      if preview.added == 0, preview.removed == 0, isLive == nil {
        return invocation.say("There is nothing to change.")
      }
      try invocation.confirm("Change the selection?")
      parameters.preview = nil
      if isLive == nil, Int64(preview.sample.count) == preview.added + preview.removed {
        let shown = Admin.Selector(identifiers: preview.sample.map(\.identifier))
        (parameters.add, parameters.remove) = (adds ? shown : nil, adds ? nil : shown)
      } else {
        parameters.outcome = preview.outcome
      }
    }
    try invocation.report(invocation.call(Admin.EditSelection.self, parameters)) { reply in
      show(reply, isPreview: false, invocation)
    }
  }

  private func show(_ reply: Admin.EditSelection.Reply, isPreview: Bool, _ invocation: Invocation) {
    let changed = adds ? reply.added : reply.removed
    AssetTable.showNames(reply.sample, of: changed, invocation)
    let done = (isPreview ? "would be " : "") + (adds ? "added" : "removed")
    if changed == 0, !isPreview, !invocation.arguments.has(SelectorOptions.live),
      !invocation.arguments.has(SelectorOptions.notLive)
    {
      let state = adds ? "selected already" : "not selected"
      return invocation.say(
        "Nothing was changed: no asset matches, or all of them are \(state). List the matches: photobroker asset list")
    }
    let summary =
      "\(Amount.count(changed, "asset")) \(done); \(reply.selected) "
      + "\(isPreview ? "would be" : reply.selected == 1 ? "is" : "are") selected."
    // A preview's summary is its result, which `--quiet` keeps; after a change it is a remark.
    if isPreview { invocation.print(summary) } else { invocation.say(summary) }
    if !isPreview { invocation.print(reply.receipt, ends: false) }
  }
}
