import BrokerInterface
import Accounts
import Glibc
import Limits
import PluginHost
import Varlink

enum LibraryCommands {
  static let group = Command(
    "library", "Put photos under the broker, and look after them",
    commands: [add, open, list, show, set, terms, policy, rescan, offer, offers, decline, accept, delegate, remove])

  private static let name = Operand("NAME", "the library's name: 1 to 64 of a-z, 0-9, hyphen; starts with a letter")
  private static let folder = Operand(
    "PATH", "the folder of photos; left out for a storage plugin that has none", count: .optional, values: .folder)
  private static let backend = CommandOption(
    "backend", "NAME", "the storage plugin (default: directory)", values: .listed([.storages]))
  private static let option = CommandOption(
    "option", "KEY=VALUE", "a further option of the storage plugin", count: .repeated)
  private static let offered = CommandOption(
    "offer", "USER,...", "users whose programs may ask for access, names or numbers (default: the owner)",
    values: .listed([.users]))
  private static let owner = CommandOption(
    "owner", "USER", "root only: whose library it is (default: the caller's)",
    values: .listed([.users]))
  static let zone = CommandOption(
    "time-zone", "ZONE", "time zone of dates without an offset, for instance Europe/Zurich or +02:00")
  private static let wait = CommandOption("wait", "show the progress until indexing is done")

  /// Whether the broker accepts a library's name: that of a plugin, with a letter first.
  static func isName(_ text: String) -> Bool { PluginFinder.isName(text) && text.first?.isLetter == true }

  static let add = Command(
    "add", "Put a folder of photos under the broker", [name, folder],
    options: [backend, option, credential, mapping, mappingOption, offered, owner, zone, wait],
    discussion: """
      The files stay where they are, unchanged. If the broker runs as another user and cannot read the folder, you \
      are asked whether an access control list may let it in; --yes sets it without asking. Dates without an offset, \
      as most cameras write them, are read in this machine's time zone, unless --time-zone names another.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    guard isName(arguments[name]) else {
      throw .usage("\(arguments[name]) cannot be a library's name: use 1 to 64 of a-z, 0-9 and hyphen, a letter first.")
    }
    var options = try KeyValue.table(arguments.all(option), of: option.typed) ?? [:]
    let path = try arguments.all(folder).first.map { (text) throws(CommandError) in try AbsolutePath.resolve(text) }
    if let path, options.updateValue(path, forKey: "path") != nil {
      throw .usage("The path is given twice: as \(folder.name) and as an option. Leave one out.")
    }
    guard path != nil || arguments.has(backend) else {
      throw .usage("Name the folder: photobroker library add NAME PATH")
    }
    var files = try CredentialFile(arguments.all(credential), of: credential.typed)
    var parameters = Admin.AddLibrary.Parameters(name: arguments[name], backend: arguments[backend], options: options)
    parameters.credentials = files.list.isEmpty ? nil : files.list
    parameters.cloudMapping = arguments[mapping]
    parameters.cloudMappingOptions = try KeyValue.table(arguments.all(mappingOption), of: mappingOption.typed)
    parameters.owner = try arguments.user(owner)
    parameters.offeredTo = try arguments.users(offered)
    let chosen =
      try arguments[zone].map { text throws(CommandError) in try PersonZone.parse(text, of: zone.typed) } ?? .present
    (parameters.timeZone, parameters.zoneOffsetMinutes) = (chosen.name, chosen.offsetMinutes)
    let descriptors = files.takeFiles()
    let added = try withOpenFolder(path, invocation) { () throws(CommandError) in
      try invocation.broker().call(Admin.AddLibrary.self, parameters, files: descriptors)
    }
    invocation.say("Library \(added.value.library.name) is added.")
    try tellOfOpening(added.value.library, invocation)
    tellOfAccepting(arguments[name], parameters.offeredTo ?? [], invocation)
    guard arguments.has(wait) else {
      return try invocation.report(added) { reply in invocation.say(LibraryProgress.line(reply.library)) }
    }
    try invocation.report(LibraryProgress.follow(arguments[name], invocation)) { reply in
      invocation.say(LibraryProgress.line(reply.library))
    }
  }

  /// Gives the broker's user access to the folder after a confirmation, and runs `add`. If the
  /// broker refuses the library, the access is taken back.
  private static func withOpenFolder<R>(
    _ path: String?, _ invocation: Invocation, _ add: () throws(CommandError) -> R
  ) throws(CommandError) -> R {
    guard let path else { return try add() }
    let status = try invocation.call(Admin.GetStatus.self, .init()).value
    guard let broker = UInt32(exactly: status.uid) else { return try add() }
    let opening = try FolderOpening(
      path, for: broker, in: (status.groups ?? []).compactMap { UInt32(exactly: $0) }, caller: geteuid())
    guard opening.isNeeded else {
      if let advice = opening.advice { invocation.warn(advice) }
      do throws(CommandError) { return try add() } catch {
        if let ways = opening.ways { invocation.warn(ways) }
        throw error
      }
    }
    if opening.isBlocked, let ways = opening.ways {
      throw CommandError(.notPermitted, "The broker cannot read \(opening.folder). \(ways)")
    }
    if !invocation.arguments.has(.yes) {
      try invocation.confirm(opening.explanation + "\nLet the broker in?")
    } else {
      for line in opening.explanation.split(separator: "\n") { invocation.say(String(line)) }
    }
    let former = try opening.apply()
    if let remainder = opening.remainder { invocation.warn(remainder) }
    if let advice = opening.advice { invocation.warn(advice) }
    do throws(CommandError) { return try add() } catch {
      // After a lost connection the library may exist and need the access.
      guard error.answered != nil else {
        invocation.warn(
          "The broker may read the folder from now on. If the library was not added, \(opening.takingBack) takes that "
            + "back."
        )
        throw error
      }
      do throws(CommandError) { try former.restore() } catch { invocation.warn(error.message) }
      invocation.warn("The library was not added. The folder's permissions are as before.")
      throw error
    }
  }

  static let list = Command("list", "List libraries") { invocation throws(CommandError) in
    try invocation.report(invocation.callForAll(Admin.ListLibraries.self, .init())) { reply in
      var table = Table(
        "NAME", "STATE", "ASSETS", "SKIPPED", "OWNER", "OFFERED TO", "BACKEND", "PROBLEM", lastSpare: ["BACKEND"])
      for library in reply.libraries {
        table.add(
          library.name, library.state, "\(library.assets)", "\(library.skipped)", AccountNames.words(library.owner),
          users(library.offeredTo),
          library.backend, library.problem ?? "")
      }
      invocation.print(
        table,
        whenEmpty: "No library yet: photobroker library add NAME PATH; others' offers: photobroker library offers")
    }
  }

  static let show = Command(
    "show", "Show a library, and every file that is left out", [.library]
  ) { invocation throws(CommandError) in
    var answer = try invocation.call(Admin.WatchLibrary.self, .init(name: invocation.arguments[.library]))
    let library = answer.value.library
    if let files = library.skippedFiles, files.count >= 100, library.skipped > Int64(files.count) {
      let all = try invocation.callForAll(Admin.ListSkippedFiles.self, .init(library: library.name)).value.files
      answer.value.library.skippedFiles = all
      answer.json = answer.value.jsonBytes
    }
    try invocation.report(answer) { reply in
      let library = reply.library
      let ignored = library.ignoredNames ?? []
      var rows: [(String, String?)] = [
        ("name", library.name), ("state", LibraryProgress.line(library)), ("owner", Words.user(library.owner)),
        ("co-owners", users(library.coOwners)), ("offered to", users(library.offeredTo)),
        ("accepted by", users((library.acceptedBy ?? []).filter { $0 != library.owner })),
        ("declined by", users(library.declinedBy)),
        ("not yet co-owners", users((library.invited ?? []).filter { !(library.declinedCoOwners ?? []).contains($0) })),
        ("declined owning", users(library.declinedCoOwners ?? [])), ("backend", library.backend),
        ("administrators", administrators(library)),
      ]
      for (key, value) in (library.options ?? [:]).sorted(by: { $0.key < $1.key }) { rows.append((key, value)) }
      rows.append(("ignored names", ignored.isEmpty ? nil : ignored.joined(separator: ", ")))
      rows += setup(library)
      rows += [
        ("time zone", library.timeZone ?? ZoneOffset.text(library.zoneOffsetMinutes)),
        ("changes by", library.changeDetection), ("thumbnails", library.thumbnails ?? "yes"),
        ("storage", refusal(of: library)), ("problem", library.problem),
      ]
      for file in library.skippedFiles ?? [] { rows.append(("skipped", "\(file.path): \(file.reason)")) }
      if let files = library.skippedFiles, case let others = library.skipped - Int64(files.count), others > 0 {
        rows.append(("skipped", "\(Amount.count(others, "other")): \(unnamed)"))
      }
      invocation.print(rows)
    }
  }

  private static let unnamed =
    "the storage does not say which, or there are too many. Administrators find entries that a plugin lists wrongly "
    + "in photobroker plugin log"

  static let rescan = Command(
    "rescan", "Scan all files of a library again", [.library], options: [wait],
    discussion: "Files that were skipped before are tried again."
  ) { invocation throws(CommandError) in
    let name = invocation.arguments[.library]
    let answer = try invocation.call(Admin.RescanLibrary.self, .init(name: name))
    guard invocation.arguments.has(wait) else {
      return try invocation.report(answer) { _ in invocation.say("Scanning all files of \(name) again.") }
    }
    try invocation.report(LibraryProgress.follow(name, invocation)) { reply in
      invocation.say(LibraryProgress.line(reply.library))
    }
  }

  private static let newUsers = Operand(
    "USER,...", "all users whose programs may ask for access, names or numbers; none for nobody", count: .optional,
    values: .listed([.users]))
  private static let moreUsers = CommandOption("add", "USER,...", "users to add", values: .listed([.users]))
  private static let formerUsers = CommandOption(
    "remove", "USER,...", "users to remove, at once", values: .listed([.users]))

  static let offer = Command(
    "offer", "Change whose programs may ask for access to a library", [.library, newUsers],
    options: [moreUsers, formerUsers],
    discussion: """
      Removing a user suspends the decisions on that user's apps. They apply again, with the same tokens, when the \
      library is offered to the user again; they are listed first, and you are asked. grant revoke ends them for good.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let chosen = try arguments.all(newUsers).first.map { text throws(CommandError) in
      text == "none" ? [] : try Arguments.users(text, of: newUsers.name)
    }
    let parameters = Admin.OfferLibrary.Parameters(
      name: arguments[.library], offeredTo: chosen, add: try arguments.users(moreUsers),
      remove: try arguments.users(formerUsers))
    guard (chosen == nil) == (parameters.add != nil || parameters.remove != nil) else {
      throw .usage("Name all users, or none, or name changes with --add and --remove.")
    }
    try confirmReturning(
      arguments[.library], to: (chosen ?? []) + (parameters.add ?? []), besides: parameters.remove ?? [], invocation)
    try invocation.report(invocation.call(Admin.OfferLibrary.self, parameters)) { reply in
      let changes = [
        chosen.map { "is offered to \(users($0))" }, parameters.add.map { "is offered to \(users($0)) too" },
        parameters.remove.map { "is not offered to \(users($0))" },
      ]
      invocation.say("\(arguments[.library]) \(changes.compactMap { $0 }.joined(separator: ", ")).")
      tellOfAccepting(arguments[.library], (chosen ?? []) + (parameters.add ?? []), invocation)
      say(reply.receipt, until: "the library is offered to their users again", invocation)
    }
  }

  /// Asks before an offer that puts resting grants into effect again.
  private static func confirmReturning(
    _ name: String, to users: [Int64], besides leaving: [Int64], _ invocation: Invocation
  ) throws(CommandError) {
    let joining = Set(users).subtracting(leaving)
    guard !joining.isEmpty else { return }
    let resting = try invocation.callForAll(Admin.ListGrants.self, .init(library: name)).value.grants
      .filter { $0.resting == true && Words.gives($0) }
    guard !resting.isEmpty else { return }
    // A user with an offer who declined the library regains nothing by another offer.
    let offered =
      try invocation.callForAll(Admin.ListLibraries.self, .init()).value.libraries.first { $0.name == name }?.offeredTo
      ?? []
    let apps = try invocation.apps()
    let lines = resting.compactMap { grant in
      apps.first { $0.app == grant.app && joining.contains($0.uid) && !offered.contains($0.uid) }.map { app in
        "  \(grant.identifier) of \(Words.user(app.uid)), \(AccessWords.levels.shown(grant.level)): "
          + Words.status(grant)
      }
    }
    guard !lines.isEmpty else { return }
    try invocation.confirm(
      "This offer gives these apps their earlier access back, with the same tokens:\n"
        + lines.joined(separator: "\n") + "\nOffer \(name)?")
  }

  /// Says how the users of an offer accept it. Root's offers need no acceptance.
  private static func tellOfAccepting(_ name: String, _ users: [Int64], _ invocation: Invocation) {
    let others = users.filter { $0 != Int64(geteuid()) }
    guard !others.isEmpty, geteuid() != 0 else { return }
    invocation.say(
      "\(Self.users(others)) must accept: photobroker library accept \(name). Until then, their apps have to name the "
        + "library."
    )
  }

  private static let newOwners = CommandOption(
    "add-owner", "USER,...", "users who decide too, and are asked when apps ask", values: .listed([.users]))
  private static let formerOwners = CommandOption(
    "remove-owner", "USER,...", "co-owners to remove, at once", values: .listed([.users]))
  private static let see = CommandOption(
    "administrators-see", "yes|no", "whether administrators see photos, names, dates and places",
    values: .words(["yes", "no"]))
  private static let decide = CommandOption(
    "administrators-decide", "yes|no", "whether administrators may give access too", values: .words(["yes", "no"]))

  static let delegate = Command(
    "delegate", "Choose who decides in a library besides you", [.library],
    options: [newOwners, formerOwners, see, decide],
    discussion: """
      Once they accept (library accept), co-owners decide everything in the library, except who else decides and \
      whether it is removed. Their own programs may ask for access once the library is offered to them (library offer).
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let name = arguments[.library]
    var parameters = Admin.DelegateLibrary.Parameters(name: name)
    parameters.add = try arguments.users(newOwners)
    if let leaving = try arguments.users(formerOwners) {
      let libraries = try invocation.callForAll(Admin.ListLibraries.self, .init()).value.libraries
      guard let present = libraries.first(where: { $0.name == name })?.coOwners else {
        throw CommandError(.notFound, "You have no library \(name). List yours: photobroker library list")
      }
      let former = present.filter(leaving.contains)
      if !former.isEmpty { try invocation.confirm("Remove \(users(former)) as co-owner of \(name)?") }
      parameters.remove = leaving
    }
    parameters.administratorsSee = arguments[see].map { $0 == "yes" }
    parameters.administratorsDecide = arguments[decide].map { $0 == "yes" }
    guard parameters != Admin.DelegateLibrary.Parameters(name: name) else {
      throw .nothingToChange([newOwners, formerOwners, see, decide])
    }
    try invocation.report(invocation.call(Admin.DelegateLibrary.self, parameters)) { reply in
      invocation.print(
        "\(name): owner \(AccountNames.words(reply.library.owner)), co-owners \(users(reply.library.coOwners)), "
          + "administrators \(administrators(reply.library))."
      )
      if let invited = reply.library.invited, !invited.isEmpty {
        invocation.say("\(users(invited)) must accept first: photobroker library accept \(name)")
      }
    }
  }

  private static func administrators(_ library: Admin.LibraryInfo) -> String {
    let rights = [library.administratorsSee ? "see photos" : nil, library.administratorsDecide ? "give access" : nil]
      .compactMap { $0 }
    return rights.isEmpty ? "only revoke access" : rights.joined(separator: " and ")
  }

  static let remove = Command(
    "remove", "Remove a library from the broker: grants, selections, ledger, caches and keys", [.library],
    discussion: "The photos themselves stay as they are. For its first owner, and for root."
  ) { invocation throws(CommandError) in
    let name = invocation.arguments[.library]
    guard
      try invocation.callForAll(Admin.ListLibraries.self, .init()).value.libraries.contains(where: { $0.name == name })
    else {
      throw CommandError(.notFound, "There is no library \(name). List them: photobroker library list")
    }
    let trashed = trashedCount(name, invocation)
    let left =
      trashed == 0
      ? "" : " \(Amount.count(trashed, "deleted photo")) can be restored before that: photobroker asset restore"
    try invocation.confirm(
      "Remove the library \(name), with all grants, selections and its ledger? The photos stay.\(left)")
    try invocation.report(invocation.call(Admin.RemoveLibrary.self, .init(name: name))) { reply in
      invocation.say("Library \(name) is removed.")
      if trashed > 0 {
        invocation.say(
          "\(Amount.count(trashed, "deleted photo")) stay in the trash of its storage, out of reach of photobroker.")
      }
      for line in Words.receipt(reply.receipt, ends: true) { invocation.print(line) }
    }
  }

  /// The number of trashed assets; 0 if the caller may not know it.
  private static func trashedCount(_ name: String, _ invocation: Invocation) -> Int64 {
    (try? invocation.call(Admin.FetchTrashedAssets.self, .init(library: name, limit: 1)).value.total) ?? 0
  }

  /// Users as they are shown.
  static func users(_ users: [Int64]) -> String {
    users.isEmpty ? "nobody" : users.map(AccountNames.words).joined(separator: ",")
  }
}
