import BrokerInterface
import Glibc

enum GrantCommands {
  static let group = Command(
    "grant", "Decide what apps may do, and take it back",
    commands: [list, show, level, select, unselect, pause, resume, expire, policy, revoke])

  private static let status = Operand(
    "STATUS", "authorized, limited, denied, restricted, or notDetermined to forget the decision",
    values: .words(AccessWords.statuses))
  private static let when = Operand("WHEN", "a date such as 2024-07-03 or +30d, or never")
  private static let albums = Operand(
    "POLICY", "none, own, shared-read, full, or the name of an installed policy",
    values: .plugin(AccessWords.albumPolicies))

  static let list = Command("list", "List grants", options: [.inLibrary, .inApp]) { invocation throws(CommandError) in
    try list(invocation, library: invocation.arguments[.inLibrary], app: invocation.app(.inApp))
  }

  static let show = Command(
    "show", "Show what one app may do in a library, and to which words of its a person agreed", [.library, .app]
  ) {
    invocation throws(CommandError) in
    try list(invocation, library: invocation.arguments[.library], app: invocation.app(invocation.arguments[.app]))
  }

  private static func list(_ invocation: Invocation, library: String?, app: String?) throws(CommandError) {
    try invocation.report(invocation.callForAll(Admin.ListGrants.self, .init(library: library, app: app))) {
      (reply) throws(CommandError) in
      var table = Table(
        "LIBRARY", "APP", "IDENTIFIER", "LEVEL", "STATUS", "SEES", "ALBUMS", "EXPIRES", "DECIDED BY", "VIA", "DECIDED")
      for grant in reply.grants {
        table.add(
          grant.library, grant.app, grant.identifier, grant.level, Words.status(grant), "\(grant.visible)",
          grant.albumPolicy,
          grant.expires.map(Words.moment) ?? "never", "\(grant.origin), \(Words.user(grant.decider))",
          grant.source + (grant.program.map { " (\($0))" } ?? ""), Words.moment(grant.decided))
      }
      invocation.print(table, whenEmpty: "Nothing is decided: no app may do anything.")
      for grant in reply.grants { showAgreement(of: grant, invocation) }
      let apps = try invocation.apps().filter { app == nil || $0.app == app }
      AppCommands.showWithoutAccess(apps, library: library, invocation)
    }
  }

  /// Shows the manifest words that a person agreed to, and the app's present words if they differ.
  private static func showAgreement(of grant: Admin.GrantInfo, _ invocation: Invocation) {
    guard let agreement = grant.agreement, let words = agreement.words else { return }
    let person = agreement.actor == Int64(getuid()) ? "you" : Words.user(agreement.actor)
    invocation.print(
      "\(grant.library), \(grant.level): \(person) said yes on \(Words.moment(agreement.time)) to \(Words.claimed(words))"
    )
    if let present = agreement.present {
      invocation.print("  by now it says something else: \(Words.claimed(present))")
    }
  }

  static let level = Command(
    "level", "Decide what an app may do at one level, without or before a prompt", [.library, .app, .level, status],
    discussion: """
      limited gives back the selection that there was, also after grant revoke; grant show says how many. notDetermined forgets it, and with \
      it what was taken away of what the app added itself: all of that joins with the next decision on reading.
      """
  ) { invocation throws(CommandError) in
    try set(invocation, level: invocation.arguments[.level], status: invocation.arguments[status])
  }

  static let expire = Command(
    "expire", "Let a grant end by itself", [.library, .app, when], options: [.level]
  ) { invocation throws(CommandError) in
    let text = invocation.arguments[when]
    let moment = text == "never" ? 0 : try Moment.parse(text, of: when.name)
    if text != "never", moment <= Moment.now {
      throw .usage("\(text) is over. A grant ends at once by grant revoke, or by grant level ... denied.")
    }
    try set(invocation, level: invocation.arguments[.level] ?? "readWrite", expires: moment)
  }

  static let policy = Command(
    "policy", "Choose which albums an app sees and makes", [.library, .app, albums], options: [.level],
    discussion: """
      none: no albums (the rule of 2020). own: those that the app makes itself (the rule of 2021). shared-read: as own, and to \
      read those that the owner shares. full: all of them. Any other name is a plugin's; one that is not installed is refused, with those that are.
      """
  ) { invocation throws(CommandError) in
    try set(invocation, level: invocation.arguments[.level] ?? "readWrite", policy: invocation.arguments[albums])
  }

  private static func set(
    _ invocation: Invocation, level: String, status: String? = nil, expires: Int64? = nil, policy: String? = nil
  ) throws(CommandError) {
    let arguments = invocation.arguments
    let app = try invocation.app(arguments[.app])
    let parameters = Admin.SetGrant.Parameters(
      library: arguments[.library], app: app, level: level, status: status, expires: expires, albumPolicy: policy)
    try invocation.report(invocation.call(Admin.SetGrant.self, parameters)) { reply in
      sayGrant(reply.grant, invocation)
      if !Words.isEmpty(reply.receipt) { for line in Words.receipt(reply.receipt) { invocation.print(line) } }
    }
  }

  static func sayGrant(_ grant: Admin.GrantInfo, _ invocation: Invocation) {
    var line = "\(grant.identifier), \(grant.level) in \(grant.library): \(Words.status(grant))"
    if let end = grant.expires { line += ", until \(Words.moment(end))" }
    invocation.say(line + ".")
  }

  static let select = Command(
    "select", "Add assets to what a limited app sees", [.library, .app], options: SelectorOptions.table + [.preview],
    discussion: SelectorOptions.help
  ) { invocation throws(CommandError) in
    try SelectionEdit(adds: true).run(invocation)
  }

  static let unselect = Command(
    "unselect", "Take assets away from what a limited app sees", [.library, .app],
    options: SelectorOptions.table + [.preview], discussion: SelectorOptions.help
  ) { invocation throws(CommandError) in
    try SelectionEdit(adds: false).run(invocation)
  }

  private static let maybeLibrary = Operand("LIBRARY", "only in this library", count: .optional)
  private static let maybeApp = Operand("APP", "only this app, as listed by app list", count: .optional)

  private static let byName =
    "A library and an app are named by words or by --library and --app; a word alone is a library or an app. "

  static let pause = Command(
    "pause", "Stop apps for now; their selections stay", [maybeLibrary, maybeApp],
    options: [.inLibrary, .inApp, user, .level, everything],
    discussion: byName + "What is given narrows each other. --everything stands alone."
  ) { invocation throws(CommandError) in
    try pause(invocation, true)
  }

  static let resume = Command(
    "resume", "Let paused apps go on", [maybeLibrary, maybeApp],
    options: [.inLibrary, .inApp, user, .level, everything]
  ) { invocation throws(CommandError) in
    try pause(invocation, false)
  }

  /// The library and the app, by words or by options. A single word names an app if an app and no
  /// library has that name.
  private static func place(_ invocation: Invocation) throws(CommandError) -> (library: String?, app: String?) {
    let arguments = invocation.arguments
    let (first, second) = (arguments.all(maybeLibrary).first, arguments.all(maybeApp).first)
    guard let first else { return (arguments[.inLibrary], try invocation.app(.inApp)) }
    guard arguments[.inLibrary] == nil, arguments[.inApp] == nil else {
      throw .usage("Name the library and the app by words or by --library and --app, not by both.")
    }
    if let second { return (first, try invocation.app(second)) }
    let apps = try invocation.apps()
    guard apps.contains(where: { $0.identifier == first || $0.app == first }),
      !(try invocation.callForAll(Admin.ListLibraries.self, .init()).value.libraries.contains { $0.name == first })
    else { return (first, nil) }
    return (nil, try invocation.app(first))
  }

  private static func pause(_ invocation: Invocation, _ paused: Bool) throws(CommandError) {
    let arguments = invocation.arguments
    var parameters = Admin.PauseGrant.Parameters(paused: paused)
    (parameters.library, parameters.app) = try place(invocation)
    parameters.uid = try arguments.integer(user, in: 0...Int64(UInt32.max - 1))
    parameters.level = arguments[.level]
    guard (parameters != Admin.PauseGrant.Parameters(paused: paused)) != arguments.has(everything) else {
      throw .usage(
        "Say what: a library, an app in it, --uid or --level, which narrow each other, or --everything alone.")
    }
    if arguments.has(everything) { parameters.everything = true }
    try invocation.report(invocation.call(Admin.PauseGrant.self, parameters)) { reply in
      if reply.decisions.isEmpty {
        invocation.say(paused ? "There is no access to pause, or it is paused already." : "Nothing of it is paused.")
      } else {
        invocation.say(paused ? "Paused; the selection stays." : "Resumed.")
      }
      if paused, !Words.isEmpty(reply.receipt) { for line in Words.receipt(reply.receipt) { invocation.print(line) } }
    }
  }

  private static let user = CommandOption("uid", "UID", "only apps of this user")
  private static let accessor = CommandOption("accessor", "ACCESSOR", "only this token and what was narrowed from it")
  private static let everything = CommandOption("everything", "everything that the caller may revoke")

  static let revoke = Command(
    "revoke", "End access at once and for good", [maybeLibrary, maybeApp],
    options: [.inLibrary, .inApp, user, .level, accessor, everything],
    discussion: byName
      + "What is given narrows each other. The receipt says what had already been delivered, which stays delivered."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var parameters = Admin.Revoke.Parameters()
    parameters.uid = try arguments.integer(user, in: 0...Int64(UInt32.max - 1))
    parameters.level = arguments[.level]
    parameters.accessor = arguments[accessor]
    let names = arguments.all(maybeLibrary) + arguments.all(maybeApp)
    let isNarrowed =
      parameters != Admin.Revoke.Parameters() || arguments.has(.inLibrary) || arguments.has(.inApp) || !names.isEmpty
    guard isNarrowed != arguments.has(everything) else {
      throw .usage(
        "Say what: a library, an app, --uid, --level or --accessor, which narrow each other, or --everything alone.")
    }
    if arguments.has(everything) { parameters.everything = true }
    (parameters.library, parameters.app) = try place(invocation)
    let app = arguments[.inApp] ?? (parameters.app == nil ? nil : names.last)
    let words = [
      app.map { "the app \($0)" }, arguments[user].map { "apps of user \($0)" },
      arguments[.level].map { "the level \($0)" }, parameters.library.map { "the library \($0)" },
      arguments[accessor].map { "the token \($0)" },
    ].compactMap { $0 }
    let what = words.isEmpty ? "everything that you may revoke" : "what concerns " + words.joined(separator: ", ")
    try invocation.confirm("Revoke \(what)?")
    try invocation.report(invocation.call(Admin.Revoke.self, parameters)) { reply in
      invocation.say(
        // An unknown accessor is refused with an error, so a reply means that the token existed.
        reply.receipt.grants > 0 || Words.takenBack(reply.receipt) > 0 || !reply.decisions.isEmpty
          || parameters.accessor != nil
          ? "Revoked."
          : "Nothing there gave access that is yours to revoke: only who decides in a library ends what is given there."
      )
      for line in Words.receipt(reply.receipt) { invocation.print(line) }
    }
  }
}
