import BrokerInterface
import Accounts
import Limits
import Varlink

enum PickerCommands {
  static let group = Command(
    "picker", "Answer apps that let you pick photos for them", commands: [list, answer, decline, apps])

  private static let picker = Operand(
    "PICKER", "the picker as listed by picker list; left out where only one waits", count: .optional,
    values: .listed([.pickers]))
  private static let assets = Operand(
    "ASSET", "assets as listed by asset list, in the order of picking; name PICKER before them", count: .any)
  private static let everyone = CommandOption("everyone", "also apps that have or had access")
  private static let again = CommandOption(
    "again", "ASSET", "a preselected asset that the app is to get anew; may be given several times", count: .repeated)

  private static let keep = CommandOption("preselected", "keep the preselected assets, before the picked ones")

  static let list = Command("list", "List pickers that wait for you") { invocation throws(CommandError) in
    try invocation.report(invocation.callForAll(Admin.ListPickers.self, .init())) { reply in
      var table = Table("PICKER", "APP", "USER", "LIBRARY", "TAKES", "PRESELECTED")
      for picker in reply.pickers {
        let limit = "at most \(picker.selectionLimit)"
        let kinds = picker.mediaTypes.isEmpty ? "" : " of " + picker.mediaTypes.joined(separator: ", ")
        table.add(
          picker.picker, "\(ShownText.claimed(picker.app.displayName)) (\(picker.app.identifier))",
          AccountNames.words(picker.app.uid),
          picker.library,
          limit + kinds + (picker.ordered ? ", ordered" : "") + (picker.terms?.location == true ? ", with places" : ""),
          "\(picker.preselected.count)")
      }
      invocation.print(table, whenEmpty: "No picker waits for you.")
    }
  }

  static let answer = Command(
    "answer", "Give an app what you pick, and nothing else", [picker, assets],
    options: SelectorOptions.table + [keep, again, .preview] + TermsOptions.ofPick,
    discussion: """
      Name assets, or choose them by options, newest first. Options choose only the media type that the picker \
      takes. Preselected assets stay only if they are among the chosen ones, or with \(keep.typed). Without any \
      asset, the app is told that nothing was picked. Picked photos leave without places, unless \
      photobroker library terms, or --location here, says otherwise.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var chosen = arguments.all(assets)
    let selector = try SelectorOptions.selector(arguments)
    guard selector != nil || !arguments.all(picker).isEmpty else {
      throw .usage("Name the picker, or choose assets by options.")
    }
    let name = try name(invocation, gives: !arguments.has(.preview))
    if let selector {
      guard chosen.isEmpty else { throw .usage("Name the assets, or choose them by options; not both.") }
      chosen = try choose(selector, name, invocation)
    } else if arguments.has(.preview) {
      throw .usage("\(CommandOption.preview.typed) needs options that choose assets.")
    }
    if arguments.has(.preview) { return }
    if arguments.has(keep) {
      let kept = try waiting(name, invocation).preselected
      chosen = kept + chosen.filter { !kept.contains($0) }
    }
    try finish(name, invocation, chosen)
  }

  /// The name of the picker on the command line, else of the one that waits.
  private static func name(_ invocation: Invocation, gives: Bool) throws(CommandError) -> String {
    try invocation.waiting("picker", picker, gives: gives) { () throws(CommandError) in
      try invocation.callForAll(Admin.ListPickers.self, .init()).value.pickers.map { ($0.picker, $0.app, $0.library) }
    }
  }

  private static func waiting(_ name: String, _ invocation: Invocation) throws(CommandError) -> Admin.PickerInfo {
    let pickers = try invocation.callForAll(Admin.ListPickers.self, .init()).value.pickers
    guard let found = pickers.first(where: { $0.picker == name }) else {
      throw .notWaiting("picker", name, pickers.map { ($0.picker, $0.app, $0.library) })
    }
    return found
  }

  /// The assets that the options find, shown before a preview or a confirmation.
  private static func choose(
    _ selector: Admin.Selector, _ name: String, _ invocation: Invocation
  ) throws(CommandError) -> [String] {
    let waiting = try waiting(name, invocation)
    let most = waiting.selectionLimit
    var selector = try invocation.whole(selector, in: waiting.library) ?? selector
    // Other media types are not counted. The broker refuses assets of another type that were named.
    if waiting.mediaTypes.count == 1, selector.mediaType == nil, selector.identifiers == nil || selector.last != nil {
      selector.mediaType = waiting.mediaTypes[0]
    }
    let found = try FoundAssets(
      .init(library: waiting.library, selector: selector, purpose: "picker"), limit: most, invocation)
    guard found.isAll else {
      throw .usage(
        "This picker takes at most \(Amount.count(most, "asset")), and you chose \(found.total). Choose fewer.")
    }
    let kept = invocation.arguments.has(keep) ? waiting.preselected : []
    let given = Set(kept + found.assets.map(\.identifier)).count
    guard given <= most else {
      throw .usage(
        "This picker takes at most \(Amount.count(most, "asset")), and with the preselected ones you chose \(given). "
          + "Choose fewer."
      )
    }
    let isPreview = invocation.arguments.has(.preview)
    if isPreview && invocation.isJSON { invocation.console.print(JSONText.printable(found.json)) }
    if isPreview || invocation.asksFirst {
      AssetTable.showNames(Array(found.assets.prefix(50)), of: found.total, invocation)
    }
    if isPreview { invocation.print("\(Amount.count(given, "asset")) would be given.") }
    if !isPreview && invocation.asksFirst {
      let with = kept.isEmpty ? "" : ", with the preselected ones \(given) in all"
      try invocation.confirm(
        "Give \(waiting.app.identifier) \(found.total == 1 ? "this asset" : "these \(found.total) assets")\(with)?")
    }
    return found.assets.map(\.identifier)
  }

  static let decline = Command("decline", "Close a picker without giving anything", [picker]) {
    invocation throws(CommandError) in
    try finish(name(invocation, gives: false), invocation, nil)
  }

  private static func finish(
    _ name: String, _ invocation: Invocation, _ chosen: [String]?
  ) throws(CommandError) {
    var (chosen, again) = (chosen, invocation.arguments.all(again))
    if (again + (chosen ?? [])).contains(where: Invocation.isPrefix) {
      let library = try waiting(name, invocation).library
      again = try invocation.assets(again, in: library)
      chosen = try chosen.map { (chosen) throws(CommandError) in try invocation.assets(chosen, in: library) }
    }
    let parameters = Admin.AnswerPicker.Parameters(
      picker: name, assets: chosen, again: again, terms: try TermsOptions.terms(invocation.arguments))
    try invocation.report(invocation.call(Admin.AnswerPicker.self, parameters)) { reply in
      invocation.say(
        chosen == nil ? "Declined: the app got nothing." : "The app got \(Amount.count(reply.items, "item")).")
    }
  }

  static let apps = Command(
    "apps", "List apps that only use the picker: they have no access, and see picked assets only", [.library],
    options: [everyone]
  ) { invocation throws(CommandError) in
    let isEveryone = invocation.arguments.has(everyone)
    let parameters = Admin.ListPickerApps.Parameters(
      library: invocation.arguments[.library], everyone: isEveryone ? true : nil)
    try invocation.report(invocation.callForAll(Admin.ListPickerApps.self, parameters)) { reply in
      var table = Table("APP", "USER", "TIMES", "ASSETS", "LAST", "CAN BE LOADED")
      for entry in reply.apps {
        table.add(
          "\(ShownText.claimed(entry.app.displayName)) (\(entry.app.identifier))", AccountNames.words(entry.app.uid),
          "\(entry.times)",
          "\(entry.assets)", Words.moment(entry.last),
          entry.loadable.map { count in entry.until.map { "\(count), until \(Words.moment($0))" } ?? "\(count)" } ?? "")
      }
      invocation.print(
        table, whenEmpty: isEveryone ? "No app was given anything by a picker." : "No app uses the picker alone.")
      if !reply.apps.isEmpty, !isEveryone {
        invocation.print("These apps have no access. They see picked assets only.")
      }
    }
  }
}
