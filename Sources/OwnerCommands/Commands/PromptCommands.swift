import BrokerInterface
import Glibc
import Limits
import Varlink

enum PromptCommands {
  static let group = Command("request", "See and answer what apps ask for", commands: [list, answer, wait])

  static let list = Command("list", "List requests that wait", options: [.language]) {
    invocation throws(CommandError) in
    let answer = try invocation.callForAll(Admin.ListPrompts.self, .init(language: language(invocation)))
    try invocation.report(answer) { reply in
      show(reply.prompts, invocation)
    }
  }

  private static let follow = CommandOption(
    "follow", "show each further request too, also after a restart of the broker, until interrupted")
  /// Seconds between attempts to reach a broker that is gone.
  private static let pause: UInt32 = 1

  static let wait = Command(
    "wait", "Wait until an app asks, and show the request", options: [.language, follow],
    discussion: "With --json, each new state of the list is one line."
  ) { invocation throws(CommandError) in
    var shown: Set<String> = []
    let follows = invocation.arguments.has(follow)
    func listen(_ broker: BrokerClient) throws(CommandError) {
      let parameters = Admin.ListPrompts.Parameters(language: language(invocation))
      try broker.followAll(Admin.ListPrompts.self, parameters) { (answer) throws(CommandError) in
        let prompts = answer.value.prompts
        if !prompts.isEmpty || follows {
          try invocation.report(answer) { _ in
            let new = prompts.filter { !shown.contains($0.prompt) }
            if !new.isEmpty { show(new, invocation) }
          }
        }
        shown.formUnion(prompts.map(\.prompt))
        return !prompts.isEmpty && !follows
      }
    }
    var broker: BrokerClient? = try invocation.broker()
    while true {
      do throws(CommandError) {
        if let broker { return try listen(broker) }
        return try listen(BrokerClient(path: SocketLocation.owner(invocation.arguments, invocation.environment)))
      } catch {
        guard follows, error.code == .unavailable else { throw error }
        if broker != nil { invocation.warn("The broker is gone. Requests are shown again once it is back.") }
        broker = nil
        sleep(pause)
      }
    }
  }

  /// The language of the manifest's texts.
  private static func language(_ invocation: Invocation) -> String? {
    invocation.arguments[.language] ?? PersonLanguage.tag(invocation.environment)
  }

  private static func show(_ prompts: [Admin.PromptInfo], _ invocation: Invocation) {
    var table = Table("REQUEST", "APP", "LIBRARY", "WHAT IT ASKS", "ASKED", spare: ["ASKED"])
    for prompt in prompts {
      table.add(
        prompt.prompt, prompt.app.identifier, prompt.library, question(prompt), Words.moment(prompt.asked))
    }
    invocation.print(table, notes: prompts.map(notes), whenEmpty: "No request waits.")
  }

  private static func question(_ prompt: Admin.PromptInfo) -> String {
    switch prompt.kind {
    case "authorization" where prompt.level == "addOnly": "asks to add photos"
    case "authorization": prompt.readOnly ?? false ? "asks to see photos" : "asks to see and change photos"
    case "keepSelection": "keep or change its selection?"
    case "selection": "asks to change its selection"
    case "allowance": "took more \(Words.exceeded(prompt)); paused"
    default: "\(prompt.kind), \(AccessWords.levels.shown(prompt.level))"
    }
  }

  private static func notes(_ prompt: Admin.PromptInfo) -> [String] {
    var notes = [Words.app(prompt.app)]
    if !prompt.usageDescription.isEmpty {
      notes.append("its own words: “\(ShownText.claimed(prompt.usageDescription))”")
    }
    notes.append("answers: \(prompt.answers.map(AccessWords.answers.shown).joined(separator: ", "))")
    if let joining = prompt.joining, joining > 0 {
      notes.append("with any access it also sees the \(Amount.count(joining, "asset")) that it added itself")
    }
    if let suggested = prompt.suggested, suggested > 0 {
      notes.append(
        "\(Amount.count(suggested, "asset")) of its earlier selection would come back with photobroker grant level "
          + "\(prompt.library) \(prompt.app.app) see-and-change selected-photos")
    }
    if let terms = prompt.terms { notes.append("select gives it, unless you say otherwise: \(Words.terms(terms))") }
    let refused = AccessWords.refused(prompt.storageRefuses, at: prompt.level)
    if !refused.isEmpty { notes.append("the storage takes \(refused), whatever you answer") }
    return notes
  }

  private static let choice = Operand(
    "ANSWER",
    "allow, select, decline, keep, change, resume or pause, as the request offers; asked on a terminal if left out",
    count: .optional, values: .words(AccessWords.answers.typed))

  private static let lasting = CommandOption(
    "for", "LENGTH", "how long access lasts: 12h, 1d, 2w, 1mo (30 days), or once, until the app's last process ends")

  private static let nothing = CommandOption("none", "an empty selection: no asset at all")

  static let answer = Command(
    "answer", "Answer a request", [.prompt, choice],
    options: SelectorOptions.table + [SelectorOptions.live] + TermsOptions.table + [
      lasting, nothing, .preview, .language,
    ],
    discussion:
      "select and change take options that choose assets. If no asset matches, the answer is refused and the request "
      + "still waits; --none selects nothing on purpose. Assets that the app added itself join its first selection, "
      + "and are counted. With select, places are withheld unless --location, or photobroker library terms, lets the "
      + "app know them. The answer keeps the app's words, in the language of --language. After --for the app may ask "
      + "again. "
      + SelectorOptions.liveHelp + SelectorOptions.help
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var selector = try selector(arguments)
    var word = arguments[choice]
    let isAsked = word.isEmpty
    if !isAsked {
      try check(selector, for: word)
    } else if !arguments.has(.preview) {
      try invocation.requireAnswer(choice)
    }
    let (expires, once) = try end(arguments)
    let terms = try TermsOptions.terms(arguments)
    let name = try name(invocation)
    if selector?.identifiers?.contains(where: Invocation.isPrefix) == true
      || selector?.album.map(Invocation.isWhole) == false
    {
      selector = try invocation.whole(selector, in: prompt(name, invocation).library)
    }
    if arguments.has(.preview) { return try show(selector, for: name, invocation) }
    var outcome: String?
    if isAsked || arguments.all(.prompt).isEmpty {
      let prompt = try prompt(name, invocation)
      show([prompt], invocation)
      if isAsked {
        word = try invocation.answer(among: prompt.answers.map(AccessWords.answers.shown))
        try check(selector, for: word)
      }
    }
    if invocation.asksFirst, word == "select" || word == "change" {
      (selector, outcome) = try confirmed(selector, for: name, invocation)
    } else if !isAsked, arguments.all(.prompt).isEmpty, ["allow", "resume"].contains(word), invocation.asksFirst {
      try invocation.confirm(word == "allow" ? "Allow this?" : "Resume it?")
    } else if !arguments.has(.yes), word == "allow" || selector.map(SelectorOptions.isLarge) == true {
      let prompt = try prompt(name, invocation)
      let seen =
        if let selector { try find(selector, for: prompt, invocation).total } else {
          try prompt.level == "readWrite" ? invocation.assetCount(prompt.library) : 0
        }
      try invocation.confirmWidening(seen, of: prompt.app.identifier)
    }
    // The interface says `cancel` for a request about a selection, and `deny` for others.
    let offered =
      try word == "decline"
      ? invocation.callForAll(Admin.ListPrompts.self, .init()).value.prompts.first { $0.prompt == name }?.answers : nil
    let answer = AccessWords.answer(word, among: offered ?? []) ?? AccessWords.answers.wire(word)
    let parameters = Admin.AnswerPrompt.Parameters(
      prompt: name, answer: answer, selector: selector, outcome: outcome, language: language(invocation),
      terms: terms, expires: expires, once: once,
      live: arguments.has(SelectorOptions.live) ? true : nil)
    let reply: Answer<Admin.AnswerPrompt.Reply>
    do throws(CommandError) { reply = try invocation.call(Admin.AnswerPrompt.self, parameters) } catch {
      // Names the waiting requests in place of an answered or mistyped one.
      if error.code == .notFound, !invocation.isJSON { _ = try prompt(name, invocation) }
      throw error
    }
    try invocation.report(reply) { reply in
      GrantCommands.sayGrant(reply.grant, invocation)
      // These answers change nothing, so there is nothing to undo.
      guard !["keep", "cancel", "pause"].contains(answer) else { return }
      for decision in reply.decisions { invocation.say("To undo it: photobroker undo \(decision)") }
    }
  }

  /// - Throws: `usage` unless the chosen assets, or none, go with the answer.
  private static func check(_ selector: Admin.Selector?, for word: String) throws(CommandError) {
    if word == "select", selector == nil {
      throw .usage(
        "Choose assets: --id, --glob, --from, --before, --name, --type, --favorite, --last or --all, or --none.")
    }
    if selector != nil, word != "select", word != "change" {
      throw .usage("Options that choose assets go with select and change, not with \(word).")
    }
  }

  /// The end of the access that the answer gives; nil and false: none.
  private static func end(_ arguments: Arguments) throws(CommandError) -> (expires: Int64?, once: Bool?) {
    guard let length = arguments[lasting] else { return (nil, nil) }
    guard length != "once" else { return (nil, true) }
    _ = try Moment.length(length, of: "\(lasting.typed)")
    return (try Moment.future(length, of: lasting.typed), nil)
  }

  /// - Throws: `usage` for `--none` together with a choice of assets.
  private static func selector(_ arguments: Arguments) throws(CommandError) -> Admin.Selector? {
    let selector = try SelectorOptions.selector(arguments)
    guard arguments.has(nothing) else { return selector }
    guard selector == nil else { throw .usage("\(nothing.typed) excludes every other option that chooses assets.") }
    return Admin.Selector(identifiers: [])
  }

  private static func show(
    _ selector: Admin.Selector?, for name: String, _ invocation: Invocation
  ) throws(CommandError) {
    guard let selector else { throw .usage("\(CommandOption.preview.typed) needs options that choose assets.") }
    let prompt = try prompt(name, invocation)
    let found = try find(selector, for: prompt, invocation)
    let joining = try joining(besides: selector, to: prompt, invocation)
    var json = found.json
    if prompt.joining != nil { json["joining"] = .integer(joining) }
    try invocation.report(json) {
      AssetTable.showNames(found.assets, of: found.total, invocation)
      invocation.print("\(Amount.count(found.total, "asset")) would be selected\(own(joining, besides: found.total)).")
    }
  }

  /// The number of assets that the app added itself and that join its selection with the answer,
  /// without the chosen ones (R43).
  private static func joining(
    besides selector: Admin.Selector, to prompt: Admin.PromptInfo, _ invocation: Invocation
  ) throws(CommandError) -> Int64 {
    guard let all = prompt.joining, all > 0, selector.identifiers?.isEmpty != true else { return prompt.joining ?? 0 }
    let parameters = Admin.FetchOwnedAssets.Parameters(
      library: prompt.library, selector: selector, addedBy: prompt.app.app, limit: 1, purpose: "selection")
    return max(0, all - (try invocation.call(Admin.FetchOwnedAssets.self, parameters).value.total))
  }

  /// A phrase about the joining assets, after the number of the others.
  private static func own(_ joining: Int64, besides total: Int64) -> String {
    guard joining > 0 else { return "" }
    return
      ", and the \(total == 0 ? Amount.count(joining, "asset") : Amount.count(joining, "other")) that the app added "
      + "itself"
  }

  /// Shows the future selection, and asks.
  ///
  /// - Returns: exactly the assets shown, if all were shown, so that later imports stay out.
  ///   Otherwise the person's selector, and the outcome that binds it to the preview.
  private static func confirmed(
    _ selector: Admin.Selector?, for name: String, _ invocation: Invocation
  ) throws(CommandError) -> (selector: Admin.Selector?, outcome: String?) {
    guard let selector else { return (nil, nil) }
    let prompt = try prompt(name, invocation)
    let joining = try joining(besides: selector, to: prompt, invocation)
    if invocation.arguments.has(nothing) {
      let sees = joining == 0 ? "none" : "only the \(Amount.count(joining, "asset")) that it added itself"
      try invocation.confirm("No asset is chosen: the app will see \(sees). Go on?")
      return (selector, nil)
    }
    let found = try find(selector, for: prompt, invocation)
    AssetTable.showNames(found.assets, of: found.total, invocation)
    let these = found.total == 1 ? "this asset" : "these \(found.total) assets"
    let later = invocation.arguments.has(SelectorOptions.live) ? ", and what fits later" : ""
    try invocation.confirm("Let \(prompt.app.identifier) see \(these)\(own(joining, besides: found.total))\(later)?")
    let isLive = invocation.arguments.has(SelectorOptions.live)
    return found.isAll && found.total > 0 && !isLive ? (found.selector, nil) : (selector, found.outcome)
  }

  private static func find(
    _ selector: Admin.Selector, for prompt: Admin.PromptInfo, _ invocation: Invocation
  ) throws(CommandError) -> FoundAssets {
    try FoundAssets(.init(library: prompt.library, selector: selector, purpose: "selection"), limit: 50, invocation)
  }

  /// The name of the prompt on the command line, else of the one that waits.
  private static func name(_ invocation: Invocation) throws(CommandError) -> String {
    let gives = !["decline", "pause"].contains(invocation.arguments[choice])
    return try invocation.waiting("request", .prompt, gives: gives) { () throws(CommandError) in
      try invocation.callForAll(Admin.ListPrompts.self, .init()).value.prompts.map { ($0.prompt, $0.app, $0.library) }
    }
  }

  /// The prompt of a name.
  ///
  /// - Throws: `notFound` unless the prompt waits for the caller; `badData` unless it takes this
  ///   answer.
  private static func prompt(_ name: String, _ invocation: Invocation) throws(CommandError) -> Admin.PromptInfo {
    let language = language(invocation)
    let prompts = try invocation.callForAll(Admin.ListPrompts.self, .init(language: language)).value.prompts
    guard let prompt = prompts.first(where: { $0.prompt == name }) else {
      throw .notWaiting("request", name, prompts.map { ($0.prompt, $0.app, $0.library) })
    }
    let answer = invocation.arguments[choice]
    guard answer.isEmpty || AccessWords.answer(answer, among: prompt.answers) != nil else {
      let offered = prompt.answers.map(AccessWords.answers.shown).joined(separator: ", ")
      throw CommandError(.badData, "This request takes one of these answers: \(offered).")
    }
    return prompt
  }
}
