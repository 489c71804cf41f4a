import BrokerInterface
import Limits
import UnixSocket
import Varlink

enum AssetCommands {
  static let group = Command(
    "asset",
    "List a library's assets, look at them, mark them, and bring deleted ones back",
    commands: [list, show, picture, preview, mark, edit, reset, trash, restore])

  private static let selectedBy = CommandOption(
    "app", "APP", "only those in this app's selection", values: .listed([.apps]))
  private static let seenBy = CommandOption(
    "seen-by", "APP", "only those that this app sees now, as it sees them", values: .listed([.apps]))
  private static let addedBy = CommandOption(
    "added-by", "APP", "only those that this app added, even if the app was removed", values: .listed([.apps]))
  private static let limit = CommandOption("limit", "N", "how many at most, 1 to 1,000,000 (default: 100)")
  private static let limitOfPage = CommandOption(
    "limit", "N", "how many at most, 1 to 1,000 (default: 100)")
  private static let skip = CommandOption("skip", "N", "how many to skip first")

  static let list = Command(
    "list", "List assets, newest first", [.library],
    options: SelectorOptions.table + [selectedBy, seenBy, addedBy, limit, skip],
    discussion: "An asset is listed if it matches all options that choose assets; without them, all assets are."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var parameters = Admin.FetchOwnedAssets.Parameters(library: arguments[.library])
    parameters.selector = try invocation.selector(in: parameters.library)
    let wanted = try arguments.integer(limit, in: 1...1_000_000) ?? 100
    let passed = try arguments.integer(skip, in: 0...Int64(Int32.max)) ?? 0
    parameters.app = try invocation.app(selectedBy)
    parameters.seenBy = try invocation.app(seenBy)
    (parameters.addedBy, parameters.addedByIdentifier) = try invocation.recordedApps(addedBy)
    let found = try FoundAssets(parameters, limit: wanted, skip: passed, invocation)
    if found.total == 0 {
      let all = Admin.FetchOwnedAssets.Parameters(
        library: parameters.library, addedBy: parameters.addedBy, addedByIdentifier: parameters.addedByIdentifier,
        limit: 1)
      try invocation.requireRecorded(parameters.addedBy, parameters.addedByIdentifier) { () throws(CommandError) in
        try invocation.call(Admin.FetchOwnedAssets.self, all).value.total > 0
      }
    }
    if invocation.isJSON { return invocation.console.print(JSONText.printable(found.document)) }
    AssetTable.show(found.assets, invocation)
    if !found.isAll {
      invocation.say("Shown: \(found.assets.count) of \(found.total). --limit and --skip show others.")
    }
  }

  private static let shown = Operand("ID", "the asset, as asset list names it")

  static let show = Command(
    "show", "Show an asset's files, caption, date and place, and other values of its changed file", [.library, shown]
  ) { invocation throws(CommandError) in
    let parameters = Admin.GetOwnedDetails.Parameters(
      library: invocation.arguments[.library], asset: try asset(invocation))
    try invocation.report(invocation.call(Admin.GetOwnedDetails.self, parameters)) { reply in
      for file in reply.files { invocation.print("File: \(file.filename) (\(file.role))") }
      let rows = [
        ("Caption", reply.caption, reply.fileCaption),
        ("Taken", reply.creationDate.map { Words.moment($0) }, reply.fileCreationDate.map { Words.moment($0) }),
        ("Place", reply.location.map(place), reply.fileLocation.map(place)),
      ]
      for (field, value, file) in rows {
        invocation.print("\(field): \(value ?? "none")" + (file.map { " (in the file: \($0))" } ?? ""))
      }
    }
  }

  private static func asset(_ invocation: Invocation) throws(CommandError) -> String {
    try invocation.asset(invocation.arguments[shown], in: invocation.arguments[.library])
  }

  private static func place(_ place: Admin.OwnedLocation) -> String { "\(place.latitude), \(place.longitude)" }

  private static let newFile = Operand("FILE", "a new file, made with mode 0600", values: .file)
  private static let pixels = CommandOption("pixels", "N", "its longest edge, 16 to 2,560 (default: 1,024)")

  static let picture = Command(
    "picture", "Make a picture of an asset to look at, as JPEG without metadata", [.library, shown, newFile],
    options: [pixels]
  ) { invocation throws(CommandError) in
    let (arguments, path) = (invocation.arguments, invocation.arguments[newFile])
    let size = try arguments.integer(pixels, in: 16...2_560) ?? 1_024
    var file = try NewFile(creating: path)
    let parameters = Admin.GetOwnedThumbnail.Parameters(
      library: arguments[.library], asset: try asset(invocation), maxPixels: size)
    guard let bytes = Base64.decode(try invocation.call(Admin.GetOwnedThumbnail.self, parameters).value.data) else {
      throw CommandError(
        .badReply, "The broker's picture cannot be read. Check that photobroker and photobrokerd have the same version."
      )
    }
    try file.keep(bytes, orElse: tryAgain)
    try told(path, Int64(bytes.count), invocation)
  }

  static let preview = Command(
    "preview", "Make a preview of a video to look at: its first minute, small, as WebM", [.library, shown, newFile]
  ) { invocation throws(CommandError) in
    let path = invocation.arguments[newFile]
    var file = try NewFile(creating: path)
    let parameters = Admin.GetOwnedPreview.Parameters(
      library: invocation.arguments[.library], asset: try asset(invocation))
    let (answer, descriptors) = try invocation.broker().callForFile(Admin.GetOwnedPreview.self, parameters)
    guard let source = descriptors.contents.numbers.first else { return }
    try file.keep(copyOf: source, size: answer.value.size, orElse: tryAgain)
    try told(path, answer.value.size, invocation)
  }

  private static let tryAgain = "The file was not written. Free disk space and try again."

  private static func told(_ path: String, _ size: Int64, _ invocation: Invocation) throws(CommandError) {
    try invocation.report(["file": .string(path), "size": .integer(size)]) {
      invocation.print("\(path): \(Words.bytes(size))")
    }
  }

  static let trash = Command(
    "trash", "List deleted assets, with the app and the time of each deletion", [.library],
    options: [limitOfPage, skip]
  ) { invocation throws(CommandError) in
    let parameters = Admin.FetchTrashedAssets.Parameters(
      library: invocation.arguments[.library],
      limit: try invocation.arguments.integer(limitOfPage, in: 1...FoundAssets.pageLimit),
      skip: try invocation.arguments.integer(skip, in: 0...Int64(Int32.max)))
    try invocation.report(invocation.call(Admin.FetchTrashedAssets.self, parameters)) { (reply) throws(CommandError) in
      AssetTable.showTrash(reply.assets, apps: reply.assets.isEmpty ? [] : try invocation.apps(), invocation)
      guard Int64(reply.assets.count) < reply.total else { return }
      invocation.say("Shown: \(reply.assets.count) of \(reply.total). --limit and --skip show others.")
    }
  }

  private static let caption = CommandOption("caption", "TEXT", "its caption; '' for none")
  private static let date = CommandOption("date", "DATE", "when it was taken, for instance 2024-07-01T18:30")
  private static let location = CommandOption("place", "LAT,LON", "where it was taken, in degrees: 47.3769,8.5417")
  private static let noPlace = CommandOption("no-place", "remove its place")

  static let edit = Command(
    "edit", "Set an asset's caption, date or place", [.library, shown], options: [caption, date, location, noPlace],
    discussion: "The file stays as it is. photobroker undo, or asset reset, brings its values back."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var parameters = Admin.EditAsset.Parameters(library: arguments[.library], asset: try asset(invocation))
    parameters.caption = arguments[caption]
    if let text = arguments[date] { parameters.creationDate = try Moment.parse(text, of: date.typed) }
    if let text = arguments[location] { parameters.location = try place(text) }
    if try arguments.choice(location, noPlace) == false { parameters.removesLocation = true }
    guard [caption, date, location, noPlace].contains(where: arguments.has) else {
      throw .usage("Name what to set: --caption, --date, --place or --no-place.")
    }
    try invocation.report(invocation.call(Admin.EditAsset.self, parameters)) { reply in
      invocation.say(reply.decisions.isEmpty ? "Nothing changed." : "1 asset changed.")
    }
  }

  private static func place(_ text: String) throws(CommandError) -> Admin.OwnedLocation {
    // `Double` also reads hexadecimal numbers and exponents.
    let degrees = text.split(separator: ",").map { part in
      part.allSatisfy { "0123456789.+- ".contains($0) } ? Double(part.trimmingPrefix(" ")) : nil
    }
    guard degrees.count == 2, let latitude = degrees[0], let longitude = degrees[1],
      abs(latitude) <= 90, abs(longitude) <= 180
    else { throw .usage("\(location.typed) takes degrees north and east, for instance 47.3769,8.5417.") }
    return Admin.OwnedLocation(latitude: latitude, longitude: longitude)
  }

  private static let edited = Operand("ID", "the asset, as asset list names it", count: .any)

  static let reset = Command(
    "reset", "Give assets the values of their files again: favourite, date, place and caption", [.library, edited],
    discussion:
      "Edited values hide the file's own until they are reset. The library is then scanned again. photobroker undo "
      + "brings the edits back."
  ) { invocation throws(CommandError) in
    let library = invocation.arguments[.library]
    let parameters = Admin.ResetAssets.Parameters(
      library: library, identifiers: try invocation.assets(invocation.arguments.all(edited), in: library))
    guard !parameters.identifiers.isEmpty else { throw .usage("Name the assets to reset; asset list lists them.") }
    let answer = try invocation.call(Admin.ResetAssets.self, parameters)
    try invocation.report(answer) { reply in
      invocation.say("\(Amount.count(reply.reset, "asset")) reset.")
    }
    let left = Int64(Set(parameters.identifiers).count) - answer.value.reset
    guard left > 0 else { return }
    throw CommandError(.failed, "\(Amount.count(left, "asset")) not reset: the files could not be read.")
  }

  private static let identifiers = Operand("ID", "the asset, as asset trash lists it", count: .any)

  static let restore = Command(
    "restore", "Bring assets back from the trash", [.library, identifiers], options: [.preview]
  ) { invocation throws(CommandError) in
    let isPreview = invocation.arguments.has(.preview)
    let library = invocation.arguments[.library]
    var parameters = Admin.RestoreAssets.Parameters(
      library: library, identifiers: invocation.arguments.all(identifiers), dryRun: isPreview)
    guard !parameters.identifiers.isEmpty else {
      throw .usage("Name the assets to bring back; asset trash lists them.")
    }
    if parameters.identifiers.contains(where: Invocation.isPrefix) {
      let known = try trashed(library, invocation)
      parameters.identifiers = try parameters.identifiers.map { (text) throws(CommandError) in
        try invocation.identifier(text, "asset") { known }
      }
    }
    let answer = try invocation.call(Admin.RestoreAssets.self, parameters)
    try invocation.report(answer) { reply in
      invocation.say("\(Amount.count(reply.restored, "asset")) \(isPreview ? "would be restored" : "restored").")
    }
    let left = Int64(parameters.identifiers.count) - answer.value.restored
    guard left > 0 else { return }
    let words =
      "\(Amount.count(left, "asset")) not restored: not found in the storage's trash."
    guard answer.value.restored > 0 else { throw CommandError(.notFound, words) }
    invocation.say(words)
  }

  /// The identifiers of all trashed assets.
  private static func trashed(_ library: String, _ invocation: Invocation) throws(CommandError) -> [String] {
    var (known, total) = ([String](), Int64(0))
    repeat {
      let page = try invocation.call(
        Admin.FetchTrashedAssets.self,
        .init(library: library, limit: FoundAssets.pageLimit, skip: Int64(known.count))
      ).value
      if page.assets.isEmpty { break }
      known += page.assets.map(\.identifier)
      total = page.total
    } while Int64(known.count) < total
    return known
  }

  private static let favorite = CommandOption("favorite", "mark as favourite")
  private static let noFavorite = CommandOption("no-favorite", "remove that mark")
  private static let hidden = CommandOption("hidden", "hide from every app, also where they are selected")
  private static let noHidden = CommandOption("no-hidden", "remove that mark")
  private static let neverShare = CommandOption("never-share", "keep from every app, whatever it is granted")
  private static let noNeverShare = CommandOption("no-never-share", "remove that mark")

  static let mark = Command(
    "mark", "Mark assets as favourite, hidden or never to be shared", [.library],
    options: SelectorOptions.markTable + [favorite, noFavorite, hidden, noHidden, neverShare, noNeverShare],
    discussion: """
      The options from --id to --all choose the assets; an asset must match all of them. The others set or remove \
      marks. Hidden and never-share marks stay with a photo when its files move, or are missing for a while. A new \
      file at the old path gets the mark too; if the old file was found elsewhere, that ends after an hour.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let required = try SelectorOptions.required(arguments)
    var parameters = Admin.MarkAssets.Parameters(library: arguments[.library], selector: required)
    parameters.favorite = try arguments.choice(favorite, noFavorite)
    parameters.hidden = try arguments.choice(hidden, noHidden)
    parameters.neverShare = try arguments.choice(neverShare, noNeverShare)
    guard parameters.favorite != nil || parameters.hidden != nil || parameters.neverShare != nil else {
      throw .usage("Name a mark: --favorite, --hidden or --never-share, or one of them with --no- before it.")
    }
    parameters.selector = try invocation.whole(required, in: parameters.library) ?? required
    try invocation.confirmWidening { () throws(CommandError) in try Widening(clearing: parameters, invocation) }
    try invocation.report(invocation.call(Admin.MarkAssets.self, parameters)) { reply in
      invocation.say("\(Amount.count(reply.changed, "asset")) changed.")
    }
  }
}
