import BrokerInterface

/// Commands about the broker as a whole.
enum StatusCommands {
  static let status = Command("status", "Show the broker, who is asking, and what waits") {
    invocation throws(CommandError) in
    try invocation.report(invocation.call(Admin.GetStatus.self, .init())) { status in
      invocation.print("broker       version \(status.version), \(Words.user(status.uid))")
      invocation.print("caller       \(Words.user(status.caller))")
      invocation.print("separation   \(status.separation)")
      invocation.print("libraries    \(status.libraries)")
      invocation.print(
        "requests     \(status.prompts)\(status.prompts > 0 ? " waiting: photobroker request list" : "")")
      if let deletions = status.deletions, deletions > 0 {
        invocation.print("deletions    \(deletions) waiting: photobroker deletion list")
      }
      invocation.print("connections  \(status.connections)")
    }
  }

  static let limits = Command(
    "limits", "Show the limits on apps' calls", options: [.appSocket]
  ) { invocation throws(CommandError) in
    let path = SocketLocation.apps(invocation.arguments, invocation.environment)
    let answer = try BrokerClient(path: path).call(Library.GetLimits.self, .init())
    try invocation.report(answer) { reply in
      var table = Table("LIMIT", "VALUE")
      for (name, value) in reply.limits.sorted(by: { $0.key < $1.key }) { table.add(name, "\(value)") }
      invocation.print(table, whenEmpty: "The broker names no limits.")
    }
  }
}
