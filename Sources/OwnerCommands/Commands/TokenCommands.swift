import BrokerInterface
import Limits
import Macaroons
import Varlink

enum TokenCommands {
  static let group = Command(
    "token", "Mint, list, inspect, narrow and revoke tokens", commands: [mint, list, revoke, inspect, narrow])

  private static let file = CommandOption(
    "file", "FILE", "a new file for the token, made with mode 0600", values: .file)

  static let mint = Command(
    "mint", "Make a token of a grant, to be handed to the app beforehand", [.library, .app, .level],
    options: [file, name, user, until, verbs, assets, album, createdFrom, createdBefore, without, pixels, uses, bytes],
    discussion: """
      The token is never shown. If root mints it, the file belongs to the app's user.

      A grant has one token: minting again gives the same token and accessor, and so does the app's own request. \
      Revoking it ends everything made from it.

      With --name the token is a child for a helper of the app, and each call makes another one. The log tells it \
      apart by its accessor, and it is revoked alone. A helper of another user needs --uid, and the library must be \
      offered to that user.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    guard let path = arguments[file] else {
      throw .usage("Name a file for the token: --file FILE. Tokens are never shown on a terminal.")
    }
    let caveats = try restrictions(arguments)
    let end = try arguments[until].map { (text) throws(CommandError) in try Moment.future(text, of: until.typed) }
    let helper = try arguments.user(user)
    guard arguments.has(name) || (caveats.isEmpty && end == nil && helper == nil) else {
      throw .usage("Only a token with a name of its own can be restricted: \(name.usage)")
    }
    let app = try invocation.app(arguments[.app])
    let owner = try helper == nil ? invocation.apps().first { $0.app == app }?.uid : helper
    var secret = try NewFile(creating: path)
    let parameters = Admin.MintToken.Parameters(
      library: arguments[.library], app: app, level: arguments[.level], name: arguments[name], uid: helper,
      expires: end)
    let reply = try invocation.call(Admin.MintToken.self, parameters).value
    try secret.keep(caveats.isEmpty ? reply.token : attenuated(macaroon(reply.token), caveats).text, owner: owner)
    try invocation.report(["accessor": .string(reply.accessor), "tokenFile": .string(path)]) {
      invocation.print(reply.accessor)
      invocation.say(
        "The token is in \(path), mode 0600; hand it to the app\(owner.map { ", which runs as \(Words.user($0))" } ?? "")."
      )
    }
  }

  static let list = Command("list", "List tokens that were given out", options: [.inLibrary, .inApp]) {
    invocation throws(CommandError) in
    let parameters = Admin.ListTokens.Parameters(
      library: invocation.arguments[.inLibrary], app: try invocation.app(.inApp))
    try invocation.report(invocation.callForAll(Admin.ListTokens.self, parameters)) { reply in
      var table = Table("ACCESSOR", "LIBRARY", "APP", "LEVEL", "NAME", "MINTED", "STATE", lastSpare: ["MINTED"])
      for token in reply.tokens {
        table.add(
          token.accessor, token.library ?? "-", token.app, token.level.map(AccessWords.levels.shown) ?? "names the app",
          named(token),
          Words.moment(token.minted), state(token))
      }
      invocation.print(table, whenEmpty: "No token was given out.")
    }
  }

  /// A child token's name and user.
  private static func named(_ token: Admin.TokenInfo) -> String {
    guard let name = token.name, let uid = token.uid else { return "-" }
    return "“\(ShownText.claimed(name))”, \(Words.user(uid))"
  }

  private static func state(_ token: Admin.TokenInfo) -> String {
    if token.revoked { return "revoked" }
    if let end = token.expires, end <= Moment.now { return "ended" }
    if token.resting == true { return "not offered" }
    return token.expires.map { "until \(Words.moment($0))" } ?? "good"
  }

  static let revoke = Command(
    "revoke", "Revoke a token and all tokens made from it", [.accessor],
    discussion: """
      A grant has one token, however often it was minted, and the app holds it too: all copies end. The decision \
      stays, and the app gets a new token when it asks. A child token (token mint --name) ends alone. An \
      app whose own token is revoked has to introduce itself anew.
      """
  ) { invocation throws(CommandError) in
    let accessor = try invocation.accessor(invocation.arguments[.accessor])
    try invocation.confirm("Revoke the token \(accessor) and all tokens made from it?") { () throws(CommandError) in
      let tokens = try invocation.callForAll(Admin.ListTokens.self, .init()).value.tokens
      return tokens.contains { $0.accessor == accessor && !$0.revoked }
    }
    try invocation.report(invocation.call(Admin.Revoke.self, .init(accessor: accessor))) { reply in
      for line in Words.receipt(reply.receipt, ends: true) { invocation.print(line) }
    }
  }

  static let inspect = Command(
    "inspect", "Show a token's content, without a broker", [.tokenFile],
    discussion:
      "The content is no proof: only the broker knows whether the token is authentic, and what its grant allows now."
  ) { invocation throws(CommandError) in
    let token = try TokenFile.read(invocation.arguments[.tokenFile], console: invocation.console)
    let description = try TokenDescription(token)
    try invocation.report(description.document) { invocation.print(description.rows) }
  }

  private static let before = CommandOption("before", "DATE", "good only before this time, for instance +30d")
  private static let verbs = CommandOption(
    "verbs", "VERB,...", "good only for these: \(Verbs.all.names.joined(separator: ", "))",
    values: .list(Verbs.all.names))
  private static let assets = CommandOption(
    "asset", "ID", "good only for these assets, by the identifiers that the app is given", count: .several)
  private static let album = CommandOption(
    "album", "ID", "good only for photos that are in this album, by the identifier that the app is given",
    count: .several)
  private static let createdFrom = CommandOption(
    "created-from", "DATE", "good only for photos taken at this time or later, for instance 2026-07-01")
  private static let createdBefore = CommandOption(
    "created-before", "DATE", "good only for photos taken before this time")
  private static let user = CommandOption(
    "uid", "USER", "good only for processes of this user, a name or number",
    values: .listed([.users]))

  private static let without = CommandOption(
    "without", "FACT,...", "good only without these: \(WithheldFacts.all.names.joined(separator: ", "))",
    values: .list(WithheldFacts.all.names))

  private static let pixels = CommandOption(
    "pixels", "N", "good only for pictures whose longest edge is at most N pixels, 256 to 2560, and for no files")

  private static let uses = CommandOption("uses", "N", "good only for N calls, by all holders together")
  private static let bytes = CommandOption(
    "bytes", "N", "good only for N bytes of files and pictures, by all holders together")

  private static let name = CommandOption(
    "name", "NAME", "make a child token of this name, for a helper of the app")
  private static let until = CommandOption("until", "DATE", "end the child token at this time, for instance +30d")

  static let narrow = Command(
    "narrow", "Make a token with fewer rights, without a broker", [.tokenFile],
    options: [file, before, verbs, assets, album, createdFrom, createdBefore, without, pixels, uses, bytes, user],
    discussion:
      "The new token has the accessor of the old one, and ends with it. Nobody can widen it. Two tokens with the same "
      + "options are one token, and share its uses and bytes: give each its own --before."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    guard let path = arguments[file] else { throw .usage("Name a file for the narrower token: --file FILE") }
    var caveats: [Caveat] = []
    if let text = arguments[before] {
      let moment = try Moment.future(text, of: before.typed)
      guard moment > Moment.now else {
        throw .usage("\(text) is in the past, so the token would allow nothing. Choose a later time.")
      }
      // Caveats count whole seconds; rounding down can only shorten the token's life.
      caveats.append(.before(moment / 1_000_000))
    }
    caveats += try restrictions(arguments)
    if let uid = try arguments.user(user) { caveats.append(.uid(UInt32(clamping: uid))) }
    guard !caveats.isEmpty else {
      throw .usage(
        "Choose a restriction: --before, --verbs, --asset, --album, --created-from, --created-before, --without, "
          + "--pixels, --uses, --bytes or --uid.")
    }
    let token = try attenuated(TokenFile.read(arguments[.tokenFile], console: invocation.console), caveats)
    // A token that allows nothing is refused now rather than at its first use.
    let description = try TokenDescription(token)
    guard !description.allowsNothing else {
      throw .usage(
        "The new token would allow nothing: the old one has none of these verbs, assets or dates. List them: "
          + "photobroker token inspect FILE"
      )
    }
    var secret = try NewFile(creating: path)
    try secret.keep(token.text)
    var document = description.document
    document["tokenFile"] = .string(path)
    try invocation.report(document) { invocation.say("The narrower token is in \(path), mode 0600.") }
  }

  private static func macaroon(_ text: String) throws(CommandError) -> Macaroon {
    do throws(MacaroonError) { return try Macaroon(text: text) } catch { throw CommandError(.badData, error.message) }
  }

  private static func attenuated(_ token: Macaroon, _ caveats: [Caveat]) throws(CommandError) -> Macaroon {
    var token = token
    for caveat in caveats {
      do throws(MacaroonError) { token = try token.adding(caveat) } catch {
        throw CommandError(.badData, error.message)
      }
    }
    return token
  }

  /// The date of an option in whole seconds, as caveats count. Rounding makes the range smaller.
  private static func seconds(_ option: CommandOption, _ arguments: Arguments, up: Bool) throws(CommandError) -> Int64?
  {
    guard let moment = try arguments.past(option) else { return nil }
    let (whole, rest) = moment.quotientAndRemainder(dividingBy: 1_000_000)
    let time = whole + (up && rest > 0 ? 1 : !up && rest < 0 ? -1 : 0)
    guard ServiceLimits.dates.contains(time * 1_000_000) else {
      throw .usage("\(option.typed) takes dates of the years 1 to 9999, in UTC.")
    }
    return time
  }

  /// The restrictions that a holder can set.
  private static func restrictions(_ arguments: Arguments) throws(CommandError) -> [Caveat] {
    var caveats: [Caveat] = []
    if let text = arguments[verbs] {
      caveats.append(.verbs(try TokenDescription.options(text, "verb", .all, \.names, Verbs.init(name:))))
    }
    if arguments.has(assets) {
      var chosen: Set<UInt128> = []
      for text in arguments.all(assets).flatMap({ $0.split(separator: ",") }) {
        chosen.insert(try TokenDescription.identifier(text, of: "asset"))
      }
      guard !chosen.isEmpty else { throw .usage("Name at least one asset by its identifier: \(assets.usage)") }
      caveats.append(.assets(chosen))
    }
    for text in arguments.all(album) { caveats.append(.album(try TokenDescription.identifier(text[...], of: "album"))) }
    let from = try seconds(createdFrom, arguments, up: true)
    let end = try seconds(createdBefore, arguments, up: false)
    if let from, let end, from >= end {
      throw .usage("No photo was taken in these times: \(createdFrom.typed) must be before \(createdBefore.typed).")
    }
    if let from { caveats.append(.createdFrom(from)) }
    if let end { caveats.append(.createdBefore(end)) }
    if let text = arguments[without] {
      caveats.append(.withholds(try TokenDescription.options(text, "fact", .all, \.names, WithheldFacts.init(name:))))
    }
    let sizes = Int64(BrokerLimits.picturePixels.lowerBound)...Int64(BrokerLimits.picturePixels.upperBound)
    if let edge = try arguments.integer(pixels, in: sizes) { caveats.append(.pixels(Int(edge))) }
    let most: Int64 = 999_999_999_999_999_999
    if let count = try arguments.integer(uses, in: 1...most) { caveats.append(.uses(count)) }
    if let count = try arguments.integer(bytes, in: 1...most) { caveats.append(.bytes(count)) }
    return caveats
  }
}
