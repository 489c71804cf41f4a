import BrokerInterface
import Accounts
import Varlink

enum AppCommands {
  static let group = Command("app", "Introduce, list and remove apps", commands: [add, list, remove])

  private static let uid = CommandOption(
    "uid", "USER", "the user that the app runs as, a name or number (default: the caller)", values: .listed([.users]))
  private static let tokenFile = CommandOption(
    "token-file", "FILE", "a new file for the app's token, made with mode 0600", values: .file)

  static let add = Command(
    "add", "Introduce an app by its manifest", [.manifest], options: [uid, tokenFile],
    discussion: """
      The token identifies the app and gives no access. --token-file writes it to a file, which root gives to the \
      app's user. Without that option --json prints it, unless standard output is a terminal. Check the manifest \
      with doctor first.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let manifest = try ManifestFile.read(arguments[.manifest], console: invocation.console)
    let user = try arguments.user(uid)
    guard let path = arguments[tokenFile] else {
      guard invocation.isJSON, !invocation.console.isTerminal else {
        throw .usage("Name a file for the app's token: --token-file FILE. Tokens are never shown on a terminal.")
      }
      return try invocation.report(invocation.call(Admin.AddApp.self, .init(manifest: manifest, uid: user))) { _ in }
    }
    var file = try NewFile(creating: path)
    let reply = try invocation.call(Admin.AddApp.self, .init(manifest: manifest, uid: user)).value
    try file.keep(reply.token, owner: reply.app.uid)
    try invocation.report(["app": JSONValue(reply.app), "tokenFile": .string(path)]) {
      invocation.print("\(reply.app.app)  \(Words.app(reply.app))")
      invocation.say("Its token is in \(path), mode 0600; hand it to \(Words.user(reply.app.uid)).")
    }
  }

  static let list = Command("list", "List apps") { invocation throws(CommandError) in
    try invocation.report(invocation.callForAll(Admin.ListApps.self, .init())) { reply in
      var table = Table(
        "APP", "IDENTIFIER", "CALLS ITSELF", "USER", "VERIFIED", "PROGRAM", "CONNECTIONS", "INTRODUCED",
        "REGISTERED BY",
        spare: ["REGISTERED BY", "INTRODUCED", "PROGRAM"])
      for app in reply.apps {
        table.add(
          app.app, app.identifier, ShownText.claimed(app.displayName), AccountNames.words(app.uid),
          app.verifiedIdentity ?? "user only",
          (app.executable ?? "-") + (app.isInterpreter ? " (script not verified)" : ""), "\(app.connections)",
          Words.moment(app.introduced), app.registeredBy.map { Words.user($0) } ?? "-")
      }
      invocation.print(table, whenEmpty: "No app has introduced itself yet.")
      showWithoutAccess(reply.apps, invocation)
    }
  }

  /// Lists apps whose earlier decisions no longer hold.
  static func showWithoutAccess(_ apps: [Admin.AppInfo], library: String? = nil, _ invocation: Invocation) {
    var table = Table("APP", "IDENTIFIER", "LIBRARY", "CALLS ITSELF", "USER", "CONNECTIONS")
    for app in apps {
      for name in app.withoutAccess ?? [] where library == nil || name == library {
        table.add(
          app.app, app.identifier, name, ShownText.claimed(app.displayName), AccountNames.words(app.uid),
          "\(app.connections)")
      }
    }
    guard !table.lines.isEmpty else { return }
    invocation.print("")
    invocation.print(
      "Apps without access. They will ask again; photobroker decisions --app APP shows their history."
    )
    invocation.print(table, whenEmpty: "")
  }

  static let remove = Command(
    "remove", "Remove an app, and revoke all its access", [.app]
  ) { invocation throws(CommandError) in
    let app = try invocation.app(invocation.arguments[.app])
    let removed = try invocation.apps().first { $0.app == app }
    // The broker refuses a name that it does not list.
    try invocation.confirm("Remove the app \(invocation.arguments[.app]), and revoke all its access?") {
      removed != nil
    }
    try invocation.report(invocation.call(Admin.RemoveApp.self, .init(app: app))) { (reply) throws(CommandError) in
      invocation.say("The app is removed.")
      for line in Words.receipt(reply.receipt, ends: true) { invocation.print(line) }
      guard let removed else { return }
      // The removal deleted all decisions against the app, so a rule may grant it access again.
      for rule in try invocation.callForAll(Admin.ListRules.self, .init()).value.rules
      where RuleCommands.gives(rule, to: removed) {
        invocation.say(
          "If the app comes back, the rule \(rule.name) of \(rule.library) answers it. To prevent that: photobroker "
            + "rule remove \(rule.library) \(rule.name)"
        )
      }
    }
  }
}
