import BrokerInterface
import Glibc
import Limits
import UnixSocket

enum PluginCommands {
  static let group = Command(
    "plugin", "Install plugins and look after them",
    commands: [
      install, list, inspect, enable, disable, remove, log, PluginTemplates.begin, dev, PluginCheckCommand.check,
    ])

  private static let path = Operand(
    "PATH", "the plugin: a shared object libNAME.so, or a program NAME.plugin", values: .file)
  private static let plugin = Operand("NAME", "the plugin as listed by plugin list", values: .listed([.plugins]))
  private static let name = CommandOption(
    "name", "NAME", "what it is called here (default: the NAME in the file's name)")
  private static let upgrade = CommandOption("upgrade", "replace the installed plugin of that name")

  private static let option = CommandOption(
    "option", "LIBRARY:KEY=VALUE",
    "with --upgrade: a library's option for the new version; KEY= removes it", count: .repeated
  )

  static let install = Command(
    "install", "Install a plugin, or a new version of one", [path], options: [name, upgrade, option],
    discussion: """
      The file is copied, and its SHA-256 is checked at every load. First a process of its own loads the copy and \
      lists its offers. With --upgrade the old version runs until the new one has started with the settings of every \
      library that uses it; then these libraries use the new one. --option sets an option that the new version needs \
      and the old one does not know. A plugin runs with the broker's rights: only root and the broker's own user \
      install one.
      """
  ) { invocation throws(CommandError) in
    let file = try PluginSource(invocation.arguments[path], name: invocation.arguments[name])
    let options = try libraryOptions(invocation.arguments.all(option))
    guard options.isEmpty || invocation.arguments.has(upgrade) else {
      throw .usage("\(option.typed) needs \(upgrade.typed): it sets options of libraries that use the plugin.")
    }
    let reply = try file.install(upgrade: invocation.arguments.has(upgrade), options: options, invocation)
    try invocation.report(reply) { reply in
      invocation.say(installed(reply))
    }
  }

  /// Groups options by library.
  /// - Throws: `usage`.
  private static func libraryOptions(_ given: [String]) throws(CommandError) -> [Admin.LibraryOptions] {
    var tables: [String: [String: String]] = [:]
    for text in given {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw .usage("\(option.typed) takes LIBRARY:KEY=VALUE, not \(text).")
      }
      let (key, value) = try KeyValue.parse(parts[1], of: option.typed, as: "LIBRARY:KEY=VALUE")
      guard tables[parts[0], default: [:]].updateValue(value, forKey: key) == nil else {
        throw .usage("The option \(key) of library \(parts[0]) is given twice.")
      }
    }
    return tables.sorted { $0.key < $1.key }.map { Admin.LibraryOptions(library: $0.key, options: $0.value) }
  }

  /// The libraries that now use a plugin, after a comma, and whether it stays disabled.
  static func effects(_ reply: Admin.InstallPlugin.Reply) -> (moved: String, stays: String) {
    (
      reply.libraries.isEmpty ? "" : "; moved to it: \(reply.libraries.joined(separator: ", "))",
      reply.plugin.state == "disabled" ? " It stays disabled: photobroker plugin enable \(reply.plugin.name)." : ""
    )
  }

  private static func installed(_ reply: Admin.InstallPlugin.Reply) -> String {
    let offers = reply.plugin.offers.map(offer).joined(separator: ", ")
    let (moved, stays) = effects(reply)
    // The daemon's own configuration gave this name more rights than the plugin asked for.
    let mayMore = reply.plugin.isTrusted || reply.plugin.hasNetwork
    let runs = mayMore ? " It runs \(place(reply.plugin, isShort: false)), by an option of photobrokerd." : ""
    return switch reply.change {
    case "unchanged": "Nothing was changed: \(reply.plugin.name) is this file already.\(stays)"
    case "upgraded": "\(reply.plugin.name) is upgraded and offers: \(offers)\(moved).\(runs)\(stays)"
    default: "\(reply.plugin.name) is installed and offers: \(offers)\(moved).\(runs)"
    }
  }

  static let list = Command("list", "List plugins") { invocation throws(CommandError) in
    try invocation.report(invocation.call(Admin.ListPlugins.self, .init())) { reply in
      var table = Table("NAME", "ORIGIN", "STATE", "RUNS", "OFFERS", "USED BY", "PROBLEM")
      for plugin in reply.plugins {
        table.add(
          plugin.name, plugin.origin, plugin.state, place(plugin, isShort: true),
          plugin.offers.map(offer).joined(separator: ", "),
          plugin.usedBy.joined(separator: ", "), plugin.problem ?? "")
      }
      invocation.print(table, whenEmpty: "There are no plugins. Check the folders in photobrokerd --plugins.")
      if let problem = reply.problem { invocation.warn(problem) }
    }
  }

  /// How a plugin's process is separated from the daemon, and whether it has the network.
  private static func place(_ plugin: Admin.PluginInfo, isShort: Bool) -> String {
    if plugin.isTrusted {
      return isShort ? "trusted" : "trusted: inside of the daemon, and can do and see all that the daemon can"
    }
    let network = plugin.hasNetwork ? "with" : "without"
    return isShort ? (plugin.hasNetwork ? "apart, networked" : "apart") : "in processes of its own, \(network) network"
  }

  /// An offer as `plugin list` shows it, for instance `storage rclone`.
  private static func offer(_ offer: Admin.PluginOffer) -> String { "\(word(offer.protocol)) \(offer.name)" }

  private static func word(_ kind: String) -> String {
    ["albumPolicy": "album policy", "cloudMapping": "cloud mapping"][kind] ?? kind
  }

  private static let subject = Operand(
    "NAME|PATH", "a plugin as listed by plugin list, or a plugin's file", values: .listed([.plugins]))

  static let inspect = Command(
    "inspect", "Show what a plugin offers and takes", [subject],
    discussion: "A name with a slash or a dot is a file, which is examined and not installed."
  ) { invocation throws(CommandError) in
    let text = invocation.arguments[subject]
    guard text.contains("/") || text.contains(".") else {
      return try invocation.report(invocation.call(Admin.ListPlugins.self, .init(name: text))) { reply in
        if let plugin = reply.plugins.first { show(plugin, invocation) }
      }
    }
    let file = try PluginSource(text, name: nil)
    try invocation.report(file.install(preview: true, invocation)) { reply in show(reply.plugin, invocation) }
  }

  private static func show(_ plugin: Admin.PluginInfo, _ invocation: Invocation) {
    let isHere = plugin.installed != nil || plugin.origin == "bundled"
    var rows: [(String, String?)] = [
      ("name", plugin.name), ("state", isHere ? plugin.state : "not installed"),
      ("origin", isHere ? plugin.origin : nil), ("form", plugin.form), ("runs", place(plugin, isShort: false)),
      ("built with", plugin.built), ("sha256", plugin.digest),
      ("installed", plugin.installed.map { "\(Words.moment($0)) by \(Words.user(plugin.installedBy ?? 0))" }),
      ("used by", plugin.usedBy.isEmpty ? nil : plugin.usedBy.joined(separator: ", ")), ("problem", plugin.problem),
    ]
    for offer in plugin.offers {
      rows.append((word(offer.protocol), "\(offer.name): \(offer.summary)"))
      for option in offer.options { rows.append(("  \(option.name)", describe(option))) }
    }
    invocation.print(rows)
  }

  private static func describe(_ option: Admin.PluginOption) -> String {
    let presence = option.isRequired ? "must be given" : option.default.map { "default \($0)" } ?? "may be left out"
    return "\(option.allowed)\(option.isSecret ? ", a secret" : ""); \(presence). \(option.summary)"
  }

  static let enable = Command("enable", "Let a plugin be used again", [plugin]) { invocation throws(CommandError) in
    try set(true, invocation)
  }

  static let disable = Command(
    "disable", "Stop a plugin at once, and keep it from being used", [plugin],
    discussion:
      "Libraries on a disabled storage are offline, and a disabled album policy hides its albums, until it is enabled "
      + "again."
  ) { invocation throws(CommandError) in
    try set(false, invocation)
  }

  private static func set(_ enabled: Bool, _ invocation: Invocation) throws(CommandError) {
    let name = invocation.arguments[plugin]
    try invocation.report(invocation.call(Admin.SetPluginEnabled.self, .init(name: name, enabled: enabled))) { reply in
      let libraries = reply.libraries.isEmpty ? "" : "; concerned: \(reply.libraries.joined(separator: ", "))"
      invocation.say("\(name) is \(enabled ? "enabled" : "disabled")\(libraries).")
    }
  }

  static let remove = Command("remove", "Remove an installed plugin that no library uses", [plugin]) {
    invocation throws(CommandError) in
    let name = invocation.arguments[plugin]
    // The broker refuses to remove a plugin that libraries use, or that nobody installed.
    try invocation.confirm("Remove the plugin \(name) and its file?") { () throws(CommandError) in
      let found = try invocation.call(Admin.ListPlugins.self, .init(name: name)).value.plugins.first
      return found.map { $0.installed != nil && $0.usedBy.isEmpty } ?? false
    }
    try invocation.report(invocation.call(Admin.RemovePlugin.self, .init(name: name))) { _ in
      invocation.say("\(name) is removed.")
    }
  }

  private static let entries = CommandOption("limit", "N", "how many entries at most, 1 to 500 (default: 100)")

  static let log = Command(
    "log", "Show a plugin's error output, and the ends of its processes", [plugin], options: [entries],
    discussion:
      "The newest entries since the broker started. A plugin may write names of photos."
  ) { invocation throws(CommandError) in
    let limit = try invocation.arguments.integer(entries, in: 1...500)
    try invocation.report(
      invocation.call(Admin.ReadPluginLog.self, .init(name: invocation.arguments[plugin], limit: limit))
    ) { reply in
      if reply.dropped > 0 { invocation.say("(\(Amount.count(reply.dropped, "older entry", "older entries")))") }
      for entry in reply.entries { invocation.print(line(entry)) }
      if reply.entries.isEmpty { invocation.say("Nothing yet: the plugin has not run since the broker started.") }
    }
  }

  static func line(_ entry: Admin.PluginLogEntry) -> String {
    let process = entry.process.map { "[\($0)] " } ?? ""
    return "\(Words.moment(entry.time)) \(process)\(entry.kind == "line" ? "| " : "")\(entry.text)"
  }

  static let dev = Command(
    "dev", "Install a plugin that is being made, again after each build", [path], options: [name],
    discussion: """
      Watches the file, installs each new version of it, moves running libraries to it, and prints what the plugin \
      writes, \
      until it is interrupted. A version that cannot be loaded is reported, and the previous one keeps running. The \
      last version stays installed, until plugin remove. With --json each event is a line.
      """
  ) { invocation throws(CommandError) in
    try PluginDevelopment(PluginSource(invocation.arguments[path], name: invocation.arguments[name]), invocation).run()
  }
}
