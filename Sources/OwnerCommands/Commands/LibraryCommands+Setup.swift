import BrokerInterface

/// Commands that set up a library's plugins.
extension LibraryCommands {
  static let credential = CommandOption(
    "credential", "OPTION=FILE", "a secret option of the storage plugin, from a file that only you can read",
    count: .repeated,
    values: .file)
  static let mapping = CommandOption(
    "cloud-mapping", "NAME", "the plugin that makes cloud identifiers (default: the broker's)",
    values: .listed([.cloudMappings]))
  static let mappingOption = CommandOption(
    "mapping-option", "KEY=VALUE", "an option of the cloud mapping", count: .repeated)
  private static let option = CommandOption(
    "option", "KEY=VALUE", "an option of the storage plugin; KEY= removes it", count: .repeated)
  private static let removed = CommandOption(
    "remove-credential", "OPTION", "a secret option to remove", count: .repeated)

  private static let originals = CommandOption(
    "originals", "yes|no", "whether apps get the originals of edited photos too", values: .words(["yes", "no"]))
  private static let deletions = CommandOption(
    "deletions", "yes|no", "whether apps may delete photos, to the trash", values: .words(["yes", "no"]))

  static let set = Command(
    "set",
    "Change how a library's plugins are set up, its time zone, what apps get of edited photos, and whether they delete",
    [.library],
    options: [option, credential, removed, mapping, mappingOption, zone, originals, deletions],
    discussion: """
      A value that the plugin does not accept is refused with the allowed ones, and nothing changes. --cloud-mapping \
      default uses the broker's plugin again. Secrets are kept in a file that only the broker's user can read, and \
      are never shown. A new time zone changes the dates of photos without an offset of their own.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var files = try CredentialFile(
      arguments.all(credential), of: credential.typed, forgetting: arguments.all(removed))
    var parameters = Admin.SetUpLibrary.Parameters(name: arguments[.library])
    parameters.options = try KeyValue.table(arguments.all(option), of: option.typed)
    parameters.credentials = files.list.isEmpty ? nil : files.list
    parameters.cloudMapping = arguments[mapping].map { $0 == "default" ? "" : $0 }
    parameters.cloudMappingOptions = try KeyValue.table(arguments.all(mappingOption), of: mappingOption.typed)
    if let text = arguments[zone] {
      let chosen = try PersonZone.parse(text, of: zone.typed)
      (parameters.timeZone, parameters.zoneOffsetMinutes) = (chosen.name, chosen.offsetMinutes)
    }
    let setsUp = parameters != Admin.SetUpLibrary.Parameters(name: arguments[.library])
    let shares = arguments[originals].map { $0 == "yes" }
    let deletes = arguments[deletions].map { $0 == "yes" }
    guard setsUp || shares != nil || deletes != nil else {
      throw .nothingToChange([option, credential, removed, mapping, mappingOption, zone, originals, deletions])
    }
    if let shares {
      let reply = try invocation.call(Admin.ShareOriginals.self, .init(name: arguments[.library], share: shares))
      guard setsUp || deletes != nil else {
        return try invocation.report(reply) { invocation.say(originalsLine($0.library)) }
      }
      invocation.say(originalsLine(reply.value.library))
    }
    if let deletes {
      let reply = try invocation.call(Admin.AllowDeletions.self, .init(name: arguments[.library], allow: deletes))
      guard setsUp else { return try invocation.report(reply) { invocation.say(deletionsLine($0.library)) } }
      invocation.say(deletionsLine(reply.value.library))
    }
    let descriptors = files.takeFiles()
    try invocation.report(invocation.broker().call(Admin.SetUpLibrary.self, parameters, files: descriptors)) { reply in
      invocation.say(LibraryProgress.line(reply.library))
    }
  }

  private static let policyName = Operand(
    "POLICY", "shared-read, or the name of another installed album policy", values: .listed([.albumPolicies]))
  private static let edits = Operand("KEY=VALUE", "an option of the policy; KEY= removes it", count: .any)

  static let policy = Command(
    "policy", "Set an album policy's options in a library", [.library, policyName, edits],
    discussion: "The albums of every app with this policy are judged anew. grant policy chooses an app's policy."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let options = try KeyValue.table(arguments.all(edits), of: edits.name) ?? [:]
    let parameters = Admin.SetUpLibrary.Parameters(
      name: arguments[.library],
      albumPolicies: [Admin.AlbumPolicySetup(policy: arguments[policyName], options: options)])
    try invocation.report(invocation.call(Admin.SetUpLibrary.self, parameters)) { reply in
      for line in policies(reply.library) { invocation.say(line) }
      let name = arguments[policyName]
      if !(reply.library.albumPolicies ?? []).contains(where: { $0.policy == name }) {
        invocation.say("\(name): no options")
      }
    }
  }

  private static let standard = CommandOption("standard", "the broker's own terms again, without those that you set")

  static let terms = Command(
    "terms", "Set the terms with which apps' access to a library begins", [.library],
    options: TermsOptions.table + [standard],
    discussion: """
      They hold where an answer or a grant names no terms, and say what leaves with picked photos. Grants that exist \
      keep theirs: photobroker grant terms changes them. Rules have terms of their own.
      """
  ) { invocation throws(CommandError) in
    let isStandard = invocation.arguments.has(standard)
    let chosen = try TermsOptions.terms(invocation.arguments)
    guard chosen != nil || isStandard else {
      throw .nothingToChange(TermsOptions.table + [standard])
    }
    let parameters = Admin.SetDefaultTerms.Parameters(
      name: invocation.arguments[.library], terms: chosen ?? .init(), standard: isStandard ? true : nil)
    try invocation.report(invocation.call(Admin.SetDefaultTerms.self, parameters)) { reply in
      invocation.say(
        "In \(reply.library.name), access begins with these terms: \(Words.terms(reply.library.defaultTerms)).")
    }
  }

  private static func originalsLine(_ library: Admin.LibraryInfo) -> String {
    "\(library.name): of edited photos apps get "
      + (library.sharesOriginals ? "the originals too." : "the edited version only.")
  }

  private static func deletionsLine(_ library: Admin.LibraryInfo) -> String {
    "\(library.name): apps " + (library.appsDelete ?? true ? "may delete photos, to the trash." : "delete no photos.")
  }

  /// Rows of a library's setup, except the storage's options.
  static func setup(_ library: Admin.LibraryInfo) -> [(String, String?)] {
    let usual = Admin.Terms(captions: true, files: true, changes: true, deletions: "ask")
    var rows = (library.credentials ?? []).map { ($0, Optional("(secret)")) }
    rows += [
      ("originals of edited photos", library.sharesOriginals ? "shared" : nil),
      ("deletions by apps", library.appsDelete == false ? "refused" : nil),
      ("terms at first", library.defaultTerms.flatMap { $0 == usual ? nil : Words.terms($0) }),
      ("cloud mapping", library.cloudMapping + (library.cloudMappingIsDefault ? " (the broker's default)" : "")),
    ]
    for (key, value) in (library.cloudMappingOptions ?? [:]).sorted(by: { $0.key < $1.key }) {
      rows.append(("  " + key, value))
    }
    return rows + policies(library).map { ("album policy", $0) }
  }

  private static func policies(_ library: Admin.LibraryInfo) -> [String] {
    (library.albumPolicies ?? []).map { entry in
      entry.policy + ": "
        + entry.options.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    }
  }
}
