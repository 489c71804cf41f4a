import BrokerInterface
import Macaroons
import Varlink

enum TokenCommands {
  static let group = Command(
    "token", "Mint, list, inspect, narrow and revoke tokens", commands: [mint, list, revoke, inspect, narrow])

  private static let file = CommandOption(
    "file", "FILE", "a new file for the token, made with mode 0600", values: .file)

  static let mint = Command(
    "mint", "Make a token of a grant, to be handed to the app beforehand", [.library, .app, .level], options: [file],
    discussion: """
      The token is never shown. Where root mints it, the file is given to the app's user.

      A grant has one token: minted again, it is the same one, with the same accessor, which the app is given as well when it asks. Two \
      holders are told apart by what is narrowed for each (token narrow), and nobody ends one of them without the other.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    guard let path = arguments[file] else {
      throw .usage("Say where the token goes: --file FILE. A token is never shown on a terminal.")
    }
    let app = try invocation.app(arguments[.app])
    let user = try invocation.apps().first { $0.app == app }?.uid
    var secret = try NewFile(creating: path)
    let parameters = Admin.MintToken.Parameters(library: arguments[.library], app: app, level: arguments[.level])
    let reply = try invocation.call(Admin.MintToken.self, parameters).value
    try secret.keep(reply.token, owner: user)
    try invocation.report(["accessor": .string(reply.accessor), "tokenFile": .string(path)]) {
      invocation.print(reply.accessor)
      invocation.say(
        "The token is in \(path), mode 0600; hand it to the app\(user.map { ", which runs as user \($0)" } ?? "").")
    }
  }

  static let list = Command("list", "List tokens that were given out", options: [.inLibrary, .inApp]) {
    invocation throws(CommandError) in
    let parameters = Admin.ListTokens.Parameters(
      library: invocation.arguments[.inLibrary], app: try invocation.app(.inApp))
    try invocation.report(invocation.callForAll(Admin.ListTokens.self, parameters)) { reply in
      var table = Table("ACCESSOR", "LIBRARY", "APP", "LEVEL", "MINTED", "STATE")
      for token in reply.tokens {
        table.add(
          token.accessor, token.library ?? "-", token.app, token.level ?? "names the app", Words.moment(token.minted),
          token.revoked ? "revoked" : token.resting == true ? "not offered" : "good")
      }
      invocation.print(table, whenEmpty: "No token was given out.")
    }
  }

  static let revoke = Command(
    "revoke", "End a token and whatever was narrowed from it", [.accessor],
    discussion: """
      A grant has one token, however often it was minted, and the app holds it as well: all of them end. The decision stays, and \
      the app is given a new one when it asks. An app's own token names the app, which is known by it no more.
      """
  ) { invocation throws(CommandError) in
    let accessor = invocation.arguments[.accessor]
    try invocation.confirm("Revoke the token \(accessor), and whatever was narrowed from it?")
    try invocation.report(invocation.call(Admin.Revoke.self, .init(accessor: accessor))) { reply in
      invocation.say("Revoked.")
      for line in Words.receipt(reply.receipt) { invocation.print(line) }
    }
  }

  static let inspect = Command(
    "inspect", "Show what a token says, without a broker", [.tokenFile],
    discussion:
      "What a token says is not proof: only the broker can tell whether it is authentic, and what its grant allows now."
  ) { invocation throws(CommandError) in
    let token = try TokenFile.read(invocation.arguments[.tokenFile], console: invocation.console)
    let description = try TokenDescription(token)
    try invocation.report(description.document) {
      for (key, value) in description.rows {
        invocation.print(key + String(repeating: " ", count: max(1, 10 - key.count)) + value)
      }
    }
  }

  private static let before = CommandOption("before", "DATE", "good only before this time, for instance +30d")
  private static let verbs = CommandOption(
    "verbs", "VERB,...", "good only for these: \(Verbs.all.names.joined(separator: ", "))",
    values: .list(Verbs.all.names))
  private static let assets = CommandOption(
    "asset", "ID", "good only for these assets, by the identifiers that the app is given", count: .several)
  private static let user = CommandOption("uid", "UID", "good only for processes of this user")

  static let narrow = Command(
    "narrow", "Make a token that may less, without a broker", [.tokenFile],
    options: [file, before, verbs, assets, user],
    discussion:
      "The narrower token shares the accessor of the one that it was made from, and dies with it. Nobody can widen it."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    guard let path = arguments[file] else { throw .usage("Say where the narrower token goes: --file FILE.") }
    var caveats: [Caveat] = []
    if let text = arguments[before] {
      let moment = try Moment.parse(text, of: before.typed)
      guard moment > Moment.now else {
        throw .usage("\(text) is over; a token that is good only before it is good for nothing.")
      }
      // Caveats count whole seconds; rounding down can only shorten the token's life.
      caveats.append(.before(moment / 1_000_000))
    }
    if let text = arguments[verbs] { caveats.append(.verbs(try TokenDescription.verbs(text))) }
    if arguments.has(assets) {
      var chosen: Set<UInt128> = []
      for text in arguments.all(assets).flatMap({ $0.split(separator: ",") }) {
        chosen.insert(try TokenDescription.asset(text))
      }
      guard !chosen.isEmpty else { throw .usage("At least one asset, by its identifier: \(assets.usage).") }
      caveats.append(.assets(chosen))
    }
    if let uid = try arguments.integer(user, in: 0...Int64(UInt32.max - 1)) { caveats.append(.uid(UInt32(uid))) }
    guard !caveats.isEmpty else { throw .usage("Say how: --before, --verbs, --asset or --uid.") }
    var token = try TokenFile.read(arguments[.tokenFile], console: invocation.console)
    for caveat in caveats {
      do throws(MacaroonError) { token = try token.adding(caveat) } catch {
        throw CommandError(.badData, error.message)
      }
    }
    // A token that allows nothing is refused now rather than at its first use.
    let description = try TokenDescription(token)
    guard !description.allowsNothing else {
      throw .usage(
        "The token it is made from allows none of these verbs, or none of these assets; token inspect shows what it allows."
      )
    }
    var secret = try NewFile(creating: path)
    try secret.keep(token.text)
    var document = description.document
    document["tokenFile"] = .string(path)
    try invocation.report(document) { invocation.say("The narrower token is in \(path), mode 0600.") }
  }
}
