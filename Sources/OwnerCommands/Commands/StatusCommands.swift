import BrokerInterface

/// Commands about the broker as a whole.
enum StatusCommands {
  static let status = Command("status", "Show the broker, who is asking, and what waits") {
    invocation throws(CommandError) in
    try invocation.report(invocation.call(Admin.GetStatus.self, .init())) { status in
      let deletions = status.deletions.flatMap { $0 > 0 ? "\($0) waiting: photobroker deletion list" : nil }
      let rows = [
        ("broker", "version \(status.version), \(Words.user(status.uid))"), ("caller", Words.user(status.caller)),
        ("separation", status.separation), ("libraries", "\(status.libraries)"),
        ("requests", "\(status.prompts)\(status.prompts > 0 ? " waiting: photobroker request list" : "")"),
        ("deletions", deletions), ("connections", "\(status.connections)"),
      ]
      invocation.print(rows)
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
