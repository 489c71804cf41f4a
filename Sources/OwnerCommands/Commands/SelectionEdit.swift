import BrokerInterface

/// Adds to a selection or takes away from it; on a terminal it shows first what would be, and asks.
struct SelectionEdit {
  let adds: Bool

  func run(_ invocation: Invocation) throws(CommandError) {
    let arguments = invocation.arguments
    let selector = try SelectorOptions.required(arguments)
    var parameters = Admin.EditSelection.Parameters(
      library: arguments[.library], app: try invocation.app(arguments[.app]), add: adds ? selector : nil,
      remove: adds ? nil : selector)
    if arguments.has(.preview) {
      parameters.preview = true
      return try invocation.report(invocation.call(Admin.EditSelection.self, parameters)) { reply in
        show(reply, "would be", invocation)
      }
    }
    if invocation.asksFirst {
      parameters.preview = true
      let preview = try invocation.call(Admin.EditSelection.self, parameters).value
      show(preview, "would be", invocation)
      if preview.added == 0, preview.removed == 0 { return invocation.say("There is nothing to change.") }
      try invocation.confirm("Change the selection?")
      parameters.preview = nil
    }
    try invocation.report(invocation.call(Admin.EditSelection.self, parameters)) { reply in show(reply, "are", invocation) }
  }

  private func show(_ reply: Admin.EditSelection.Reply, _ verb: String, _ invocation: Invocation) {
    let changed = adds ? reply.added : reply.removed
    AssetTable.showNames(reply.sample, of: changed, invocation)
    invocation.say("\(Words.count(changed, "asset")) \(adds ? "added" : "taken away"); \(reply.selected) \(verb) selected.")
    if !Words.isEmpty(reply.receipt) { for line in Words.receipt(reply.receipt) { invocation.print(line) } }
  }
}
