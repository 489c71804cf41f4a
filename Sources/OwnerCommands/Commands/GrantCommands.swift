import BrokerInterface
import Glibc

enum GrantCommands {
  static let group = Command(
    "grant", "Decide what apps may do, and revoke it",
    commands: [list, show, level, select, unselect, pause, resume, expire, policy, terms, revoke])

  private static let status = Operand(
    "STATUS",
    "full-access, selected-photos, no-access, blocked (by administrators), or not-asked to remove the decision",
    values: .owners(AccessWords.statuses))
  private static let when = Operand(
    "WHEN", "a date such as 2024-07-03 or friday, 30d for 30 days from now, a year, or never")
  private static let albums = Operand(
    "POLICY", "none, own, shared-read, full, or the name of an installed policy",
    values: .plugin(AccessWords.albumPolicies))

  static let list = Command("list", "List grants", options: [.inLibrary, .inApp]) { invocation throws(CommandError) in
    try list(invocation, library: invocation.arguments[.inLibrary], app: invocation.app(.inApp)) { grants in
      var table = Table(
        "LIBRARY", "APP", "IDENTIFIER", "LEVEL", "STATUS", "SEES", "TERMS", "ALBUMS", "EXPIRES", "DECIDED BY", "VIA",
        "DECIDED", spare: ["VIA", "DECIDED", "DECIDED BY", "ALBUMS", "SEES"], lastSpare: ["APP"])
      for grant in grants { table.add(facts(grant).map { $0.value ?? "" }) }
      invocation.print(table, whenEmpty: undecided)
    }
  }

  static let show = Command(
    "show", "Show what one app may do in a library, and the words that a person agreed to", [.library, .app]
  ) {
    invocation throws(CommandError) in
    try list(invocation, library: invocation.arguments[.library], app: invocation.app(invocation.arguments[.app])) {
      grants in
      if grants.isEmpty { invocation.say(undecided) }
      for (number, grant) in grants.enumerated() {
        if number > 0 { invocation.print("") }
        invocation.print(facts(grant))
      }
    }
  }

  private static let undecided = "Nothing is decided yet: no app has access."

  private static func facts(_ grant: Admin.GrantInfo) -> [(name: String, value: String?)] {
    [
      ("library", grant.library), ("app", grant.app), ("identifier", grant.identifier),
      ("level", AccessWords.levels.shown(grant.level)), ("status", Words.status(grant)), ("sees", "\(grant.visible)"),
      ("terms", Words.terms(grant, saysDefault: true)), ("albums", grant.albumPolicy),
      ("expires", Words.end(grant) ?? "never"), ("decided by", "\(grant.origin), \(Words.user(grant.decider))"),
      ("via", AccessWords.sources.shown(grant.source) + (grant.program.map { " (\($0))" } ?? "")),
      ("decided", Words.moment(grant.decided)),
    ]
  }

  private static func list(
    _ invocation: Invocation, library: String?, app: String?, print: ([Admin.GrantInfo]) -> Void
  ) throws(CommandError) {
    try invocation.report(invocation.callForAll(Admin.ListGrants.self, .init(library: library, app: app))) {
      (reply) throws(CommandError) in
      print(reply.grants)
      for grant in reply.grants {
        if let live = Words.live(grant) { invocation.print("\(grant.library), \(grant.identifier): \(live)") }
        showAgreement(of: grant, invocation)
      }
      let apps = try invocation.apps().filter { app == nil || $0.app == app }
      AppCommands.showWithoutAccess(apps, library: library, invocation)
    }
  }

  /// Shows the manifest words that a person agreed to, and the app's present words if they differ.
  private static func showAgreement(of grant: Admin.GrantInfo, _ invocation: Invocation) {
    guard let agreement = grant.agreement, let words = agreement.words else { return }
    let person = agreement.actor == Int64(getuid()) ? "you" : Words.user(agreement.actor)
    invocation.print(
      "\(grant.library), \(AccessWords.levels.shown(grant.level)): \(person) said yes on "
        + "\(Words.moment(agreement.time)) to \(Words.claimed(words))"
    )
    if let present = agreement.present {
      invocation.print("  today the app says: \(Words.claimed(present))")
    }
  }

  static let level = Command(
    "level", "Decide what an app may do at one level, before it asks", [.library, .app, .level, status],
    discussion: """
      selected-photos restores the app's earlier selection, even after grant revoke; grant show gives its size. \
      not-asked removes the decision with its selection. Assets that the app added itself then join its next \
      selection, also those that were unselected. full-access at add-only lets the app add photos.
      """
  ) { invocation throws(CommandError) in
    try set(invocation, level: invocation.arguments[.level], status: invocation.arguments[status])
  }

  static let expire = Command(
    "expire", "Let a grant end by itself", [.library, .app, when], options: [.level]
  ) { invocation throws(CommandError) in
    let text = invocation.arguments[when]
    let moment = text == "never" ? 0 : try Moment.future(text, of: when.name)
    if text != "never", moment <= Moment.now {
      throw .usage("\(text) is in the past. To revoke access now: photobroker grant revoke")
    }
    try set(invocation, level: invocation.arguments[.level] ?? "readWrite", expires: moment)
  }

  static let policy = Command(
    "policy", "Choose which albums an app sees and makes", [.library, .app, albums], options: [.level],
    discussion: """
      none: no albums. own: albums that the app makes. shared-read: also albums that the owner shares, read-only. \
      full: all albums. Other names are policies of plugins; an unknown name is refused with a list of the known ones.
      """
  ) { invocation throws(CommandError) in
    try set(invocation, level: invocation.arguments[.level] ?? "readWrite", policy: invocation.arguments[albums])
  }

  static let terms = Command(
    "terms", "Choose which facts of photos an app gets, and whether it may change them", [.library, .app],
    options: TermsOptions.table,
    discussion: """
      Terms that are not named stay. An app with selected photos gets no places unless you let it. Files are \
      delivered without the withheld facts; a file that cannot be cleaned is not delivered. It takes effect at once on \
      running apps.
      """
  ) { invocation throws(CommandError) in
    guard let terms = try TermsOptions.terms(invocation.arguments) else {
      throw .nothingToChange(TermsOptions.table)
    }
    try set(invocation, level: "readWrite", terms: terms)
  }

  private static func set(
    _ invocation: Invocation, level: String, status: String? = nil, expires: Int64? = nil, policy: String? = nil,
    terms: Admin.Terms? = nil
  ) throws(CommandError) {
    let arguments = invocation.arguments
    let app = try invocation.app(arguments[.app])
    let parameters = Admin.SetGrant.Parameters(
      library: arguments[.library], app: app, level: level, status: status, expires: expires, albumPolicy: policy,
      terms: terms)
    if level == "readWrite", !arguments.has(.yes), status == "authorized" || status == "limited" {
      let grants = try invocation.callForAll(Admin.ListGrants.self, .init(library: arguments[.library], app: app)).value
      let present = grants.grants.first { $0.level == level }
      let seen = present.map(seen) ?? 0
      // An earlier selection comes back.
      let later =
        try status == "limited"
        ? invocation.call(Admin.FetchOwnedAssets.self, .init(library: arguments[.library], app: app, limit: 1))
          .value.total
        : invocation.assetCount(arguments[.library])
      try invocation.confirmWidening(later - seen, of: arguments[.app])
    }
    try invocation.report(invocation.call(Admin.SetGrant.self, parameters)) { reply in
      sayGrant(reply.grant, invocation)
      invocation.print(reply.receipt, ends: !Words.gives(reply.grant))
    }
  }

  /// The number of photos that an app sees by a grant.
  private static func seen(_ grant: Admin.GrantInfo) -> Int64 { Words.gives(grant) ? grant.visible : 0 }

  /// The number of photos that an app sees more by a change.
  static func widening(_ change: Admin.GrantChange) -> Int64 {
    max(change.added, seen(change.after) - (change.before.map(seen) ?? 0))
  }

  static func sayGrant(_ grant: Admin.GrantInfo, _ invocation: Invocation) {
    var line =
      "\(grant.identifier), \(AccessWords.levels.shown(grant.level)) in \(grant.library): \(Words.status(grant))"
    if Words.gives(grant), let terms = Words.terms(grant) { line += ", \(terms)" }
    if let end = Words.end(grant) { line += ", until \(end)" }
    if let live = Words.live(grant) { line += ", \(live)" }
    invocation.say(line + ".")
  }

  static let select = Command(
    "select", "Select more assets for an app to see", [.library, .app],
    options: SelectorOptions.table + [SelectorOptions.live, SelectorOptions.notLive, .preview],
    discussion: "With --live, what fits now replaces the selection that the app had. " + SelectorOptions.liveHelp
      + SelectorOptions.help
  ) { invocation throws(CommandError) in
    try SelectionEdit(adds: true).run(invocation)
  }

  static let unselect = Command(
    "unselect", "Unselect assets, so that an app sees them no more", [.library, .app],
    options: SelectorOptions.table + [.preview],
    discussion: "--last counts in the app's selection. " + SelectorOptions.help
  ) { invocation throws(CommandError) in
    try SelectionEdit(adds: false).run(invocation)
  }

  private static let maybeLibrary = Operand(
    "LIBRARY", "only in this library", count: .optional, values: .listed([.libraries]))
  private static let maybeApp = Operand(
    "APP", "only this app, as listed by app list", count: .optional, values: .listed([.apps]))

  private static let byName =
    "Name the library and the app as words, or with --library and --app. A single word is a library or an app. "

  static let pause = Command(
    "pause", "Stop apps for now; their selections stay", [maybeLibrary, maybeApp],
    options: [.inLibrary, .inApp, user, .level, everything],
    discussion: byName + "A grant must match all words and options. --everything stands alone."
  ) { invocation throws(CommandError) in
    try pause(invocation, true)
  }

  static let resume = Command(
    "resume", "Let paused apps continue", [maybeLibrary, maybeApp],
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
      throw .usage("Name the library and the app either as words, or with --library and --app.")
    }
    if let second { return (first, try invocation.app(second)) }
    let libraries = try invocation.callForAll(Admin.ListLibraries.self, .init()).value.libraries
    guard !libraries.contains(where: { $0.name == first }) else { return (first, nil) }
    let app = try invocation.app(first)
    return try invocation.apps().contains { $0.app == app } ? (nil, app) : (first, nil)
  }

  private static func pause(_ invocation: Invocation, _ paused: Bool) throws(CommandError) {
    let arguments = invocation.arguments
    var parameters = Admin.PauseGrant.Parameters(paused: paused)
    (parameters.library, parameters.app) = try place(invocation)
    parameters.uid = try arguments.user(user)
    parameters.level = arguments[.level]
    guard (parameters != Admin.PauseGrant.Parameters(paused: paused)) != arguments.has(everything) else {
      throw .usage(
        "Name a library, an app, --uid or --level, or use --everything alone.")
    }
    if arguments.has(everything) { parameters.everything = true }
    if !paused {
      try invocation.confirmWidening { () throws(CommandError) in try Widening(resuming: parameters, invocation) }
    }
    try invocation.report(invocation.call(Admin.PauseGrant.self, parameters)) { reply in
      if reply.decisions.isEmpty {
        invocation.say(
          paused
            ? "Nothing to pause: there is no access, or it is paused already."
            : "Nothing to resume: no access there is paused.")
      } else {
        invocation.say(paused ? "Paused; the selection stays." : "Resumed.")
      }
      if paused { invocation.print(reply.receipt, ends: true) }
    }
  }

  /// Whether a revocation may end access; also true if the caller may not know.
  private static func changesSomething(
    _ parameters: Admin.Revoke.Parameters, _ invocation: Invocation
  ) throws(CommandError) -> Bool {
    guard parameters.accessor == nil else { return true }
    let grants = try invocation.callForAll(
      Admin.ListGrants.self, .init(library: parameters.library, app: parameters.app)
    ).value.grants
    // A paused or suspended grant gives access later.
    guard !grants.contains(where: Words.gives) else { return true }
    var libraries = parameters.library.map { [$0] } ?? []
    if libraries.isEmpty {
      libraries = try invocation.callForAll(Admin.ListLibraries.self, .init()).value.libraries.map(\.name)
    }
    // Picked photos may still be loaded.
    return libraries.contains { library in
      guard
        let picked = try? invocation.callForAll(Admin.ListPickerApps.self, .init(library: library, everyone: true))
          .value
      else { return true }
      return picked.apps.contains { $0.loadable != 0 }
    }
  }

  private static let user = CommandOption(
    "uid", "USER", "only apps of this user, a name or number", values: .listed([.users]))
  private static let accessor = CommandOption(
    "accessor", "ACCESSOR", "only this token and the tokens made from it",
    values: .listed([.tokens]))
  private static let everything = CommandOption("everything", "all access that you may revoke")

  static let revoke = Command(
    "revoke", "Revoke access at once and for good", [maybeLibrary, maybeApp],
    options: [.inLibrary, .inApp, user, .level, accessor, everything],
    discussion: byName
      + "A grant must match all words and options. Photos that were delivered before are counted, and stay delivered."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var parameters = Admin.Revoke.Parameters()
    parameters.uid = try arguments.user(user)
    parameters.level = arguments[.level]
    parameters.accessor = try arguments[accessor].map { (typed) throws(CommandError) in try invocation.accessor(typed) }
    let names = arguments.all(maybeLibrary) + arguments.all(maybeApp)
    let isNarrowed =
      parameters != Admin.Revoke.Parameters() || arguments.has(.inLibrary) || arguments.has(.inApp) || !names.isEmpty
    guard isNarrowed != arguments.has(everything) else {
      throw .usage(
        "Name a library, an app, --uid, --level or --accessor, or use --everything alone.")
    }
    if arguments.has(everything) { parameters.everything = true }
    (parameters.library, parameters.app) = try place(invocation)
    let app = arguments[.inApp] ?? (parameters.app == nil ? nil : names.last)
    let words = [
      app.map { "app \($0)" }, parameters.uid.map { "apps of \(Words.user($0))" },
      arguments[.level].map { "level \(AccessWords.levels.shown($0))" }, parameters.library.map { "library \($0)" },
      parameters.accessor.map { "token \($0)" },
    ].compactMap { $0 }
    let what = words.isEmpty ? "all access that you may revoke" : "access of " + words.joined(separator: ", ")
    try invocation.confirm("Revoke \(what)?") { () throws(CommandError) in
      try changesSomething(parameters, invocation)
    }
    try invocation.report(invocation.call(Admin.Revoke.self, parameters)) { reply in
      // An unknown accessor is refused with an error, so a reply means that the token existed.
      let hasEnded =
        reply.receipt.grants > 0 || Words.takenBack(reply.receipt) > 0 || !reply.decisions.isEmpty
        || parameters.accessor != nil
      let lines = Words.receipt(reply.receipt, ends: true)
      if !hasEnded {
        invocation.say("Nothing was revoked: there is no such access, or another owner decides about it.")
      }
      for line in hasEnded ? lines[...] : lines.dropFirst() { invocation.print(line) }
    }
  }
}
