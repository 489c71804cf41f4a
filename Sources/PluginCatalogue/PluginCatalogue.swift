import CLinux
import Glibc
package import PluginHost
package import PluginKit
package import Supervisor
import Synchronization
import UnixSocket

/// All plugins of a daemon: the bundled ones in its plugin folders, and those that are installed,
/// each in a folder of the state that is named by its SHA-256. Safe to use from several threads;
/// what changes it comes from one at a time.
package final class PluginCatalogue: Sendable {
  struct State {
    var file = CatalogueFile()
    /// The file on disk that it was read from; nil: there was none.
    var onDisk: FileState?
    var isRead = false
  }

  let finder: PluginFinder
  let bundled: BundledPlugins
  let files: PluginFiles
  let state = Mutex(State())
  let trustedObjects = TrustedObjects()
  private let changing = Mutex(())
  private let journals = Mutex<[String: PluginJournal]>([:])
  /// Is told in words of what the catalogue finds out by itself.
  let tell: @Sendable (_ plugin: String, _ what: String) -> Void
  /// Is told in words of what a plugin that is used has to do without.
  private let remark: @Sendable (_ plugin: String, _ what: String) -> Void

  /// - Parameters:
  ///   - folder: Where installed plugins lie, in the daemon's state; made when the first one is
  ///     installed.
  ///   - tell: Called from any thread where a plugin was disabled because its file is another one
  ///     than was installed, and where something is wrong with the catalogue file.
  ///   - remark: The same where a plugin's processes lack a limit that they should have.
  package init(
    _ finder: PluginFinder, folder: String, tell: @escaping @Sendable (_ plugin: String, _ what: String) -> Void,
    remark: @escaping @Sendable (_ plugin: String, _ what: String) -> Void
  ) {
    self.finder = finder
    self.tell = tell
    self.remark = remark
    files = PluginFiles(folder: folder)
    bundled = BundledPlugins(finder)
    let file = current()
    if let fault = file.fault {
      tell("", Self.advice(on: fault))
    } else {
      files.clean(keeping: Set(file.plugins.map(\.digest)))
    }
  }

  // MARK: What is there

  /// What is wrong with the catalogue file, and what to do. Nil: nothing.
  package var fault: String? { current().fault.map { Self.advice(on: $0) } }

  private static func advice(on fault: String) -> String {
    "The catalogue of installed plugins, plugins/catalogue.json in the broker's state, is not as the broker wrote it: \(fault). "
      + "Mend it, or move it away and install the plugins again."
  }

  /// Those that are installed, by name, without the bundled ones. Blocks: on a worker only.
  package var installed: [CataloguedPlugin] { current().plugins.map(\.shown).sorted { $0.name < $1.name } }

  /// The same plugin with where it runs: whether an administrator had the daemon run it inside of
  /// itself, and whether it may use the network.
  package func placed(_ plugin: CataloguedPlugin) -> CataloguedPlugin {
    // A stranger's plugin is trusted, and networked, by the name that it was installed under alone:
    // it says itself what it offers.
    let names =
      plugin.origin == .bundled ? [plugin.name] + (plugin.description?.roles ?? []).map(\.name) : [plugin.name]
    var placed = plugin
    placed.isTrusted = !finder.trusted.isDisjoint(with: names)
    placed.hasNetwork = placed.isTrusted || !finder.networked.isDisjoint(with: names)
    if placed.problem == nil { placed.problem = journals.withLock { $0[plugin.name]?.lack } }
    return placed
  }

  /// All of them, by name. Blocks: on a worker only.
  package func plugins() -> [CataloguedPlugin] {
    let file = current()
    let found = bundled.all().map { found in
      let description = try? found.description.get()
      var plugin = CataloguedPlugin(
        name: found.name, origin: .bundled, form: found.form, state: .enabled, description: description)
      if case .failure(let failure) = found.description { (plugin.state, plugin.problem) = (.refused, failure.message) }
      if file.disabled.contains(found.name) { plugin.state = .disabled }
      return plugin
    }
    return (found + file.plugins.map(shown)).sorted { $0.name < $1.name }
  }

  /// An installed plugin as it is listed. A newer broker may bring one of its names with it, and
  /// whoever edits the catalogue may give it any.
  func shown(_ plugin: InstalledPlugin) -> CataloguedPlugin {
    var shown = plugin.shown
    guard let problem = displacement(of: plugin) else { return shown }
    shown.isDisplaced = true
    if plugin.isEnabled { (shown.state, shown.problem) = (.refused, problem) }
    return shown
  }

  /// Why an installed plugin is not used although it is enabled: a bundled one has one of its names. Nil: none has.
  private func displacement(of plugin: InstalledPlugin) -> String? {
    let taken = plugin.roles.first { bundledFile(for: $0) != nil }.map { "the \($0)" }
    guard let taken = finder.file(of: plugin.name) == nil ? taken : "the name \(plugin.name)" else { return nil }
    return "A plugin in one of the daemon's plugin folders has \(taken), and is used in its place: "
      + "install this one under another name, or remove it."
  }

  /// What the file says now: whoever edits it need not start the broker again.
  func current() -> CatalogueFile {
    state.withLock { state in
      let onDisk = FileState(files.catalogue)
      if !state.isRead || onDisk != state.onDisk {
        state = State(file: readFile(exists: onDisk != nil), onDisk: onDisk, isRead: true)
      }
      return state.file
    }
  }

  private func readFile(exists: Bool) -> CatalogueFile {
    guard exists else { return CatalogueFile.read(files.catalogue) }
    // It says which files are the right ones, so nothing that others may have written is believed.
    do throws(PluginFailure) { try WriteProtection.check(files.catalogue, trusting: [geteuid()]) } catch {
      return CatalogueFile(fault: error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message)
    }
    return CatalogueFile.read(files.catalogue)
  }

  /// What a plugin's processes wrote and how they ended, for as long as the broker runs.
  package func journal(of plugin: String) -> PluginJournal {
    journals.withLock { table in
      if let known = table[plugin] { return known }
      let made = PluginJournal { [remark] what in remark(plugin, what) }
      table[plugin] = made
      return made
    }
  }

  func forgetJournal(of plugin: String) { journals.withLock { _ = $0.removeValue(forKey: plugin) } }

  // MARK: Running

  /// How to run what offers something.
  /// - Throws: where nothing that can be used offers it, saying why and what to do.
  package func program(for role: PluginRole) throws(PluginFailure) -> ChildOptions {
    let file = current()
    if let (name, path, form) = bundledFile(for: role) {
      guard !file.disabled.contains(name) else { throw Self.disabled(name, nil) }
      return try bundledProgram(name, path, form, role)
    }
    if let plugin = file.plugins.first(where: { $0.roles.contains(role) }) {
      guard plugin.isEnabled else { throw Self.disabled(plugin.name, plugin.problem) }
      if let problem = displacement(of: plugin) { throw PluginFailure(.unsupported, problem) }
      return try pinned(files.path(of: plugin), plugin.form, plugin.digest, of: plugin.name)
    }
    let more =
      file.fault == nil
      ? "" : " Something is wrong with the catalogue of installed plugins: see photobroker plugin list."
    throw PluginFailure(
      .unsupported,
      "No plugin offers the \(role): it is not installed, and is not in \(finder.directories.joined(separator: ", ")). "
        + "Install it: photobroker plugin install PATH.\(more)")
  }

  /// The options that an installed plugin said it has; nil where a bundled one offers this, or
  /// none. Blocks: on a worker only.
  package func installedOptions(of role: PluginRole) -> [PluginOption]? {
    guard bundledFile(for: role) == nil, let plugin = current().plugins.first(where: { $0.roles.contains(role) }) else {
      return nil
    }
    return (try? plugin.description.entry(role.kind, role.name))?.options
  }

  /// The file of a trusted plugin.
  struct TrustedFile {
    var name: String
    var path: String
    var form: PluginForm
    /// Nil: bundled.
    var digest: String?
  }

  /// The file of what offers something, where that is trusted.
  /// - Throws: where it is disabled.
  func trustedFile(of role: PluginRole) throws(PluginFailure) -> TrustedFile? {
    guard !finder.trusted.isEmpty else { return nil }
    let file = current()
    if let (name, path, form) = bundledFile(for: role) {
      guard !finder.trusted.isDisjoint(with: [name, role.name]) else { return nil }
      guard !file.disabled.contains(name) else { throw Self.disabled(name, nil) }
      return TrustedFile(name: name, path: path, form: form)
    }
    guard let plugin = file.plugins.first(where: { $0.roles.contains(role) }), finder.trusted.contains(plugin.name)
    else { return nil }
    guard plugin.isEnabled else { throw Self.disabled(plugin.name, plugin.problem) }
    if let problem = displacement(of: plugin) { throw PluginFailure(.unsupported, problem) }
    return TrustedFile(name: plugin.name, path: files.path(of: plugin), form: plugin.form, digest: plugin.digest)
  }

  /// Whether a plugin, or what a bundled one offers, is called so.
  package func isKnown(_ name: String) -> Bool {
    let isBundled =
      bundledFile(for: PluginRole(.storage, name)) != nil || bundledFile(for: PluginRole(.albumPolicy, name)) != nil
    return isBundled || current().plugins.contains { $0.name == name }
  }

  /// - Throws: where others could write a bundled plugin's file.
  func checkBundled(_ path: String) throws(PluginFailure) { try WriteProtection.check(path, trusting: bundled.trusted) }

  private static func disabled(_ name: String, _ problem: String?) -> PluginFailure {
    PluginFailure(.offline, problem ?? "Plugin \"\(name)\" is disabled: photobroker plugin enable \(name).")
  }

  /// The file in a plugin folder that offers something: by its name, else the bundled policies',
  /// else one that says so itself.
  private func bundledFile(for role: PluginRole) -> (name: String, path: String, form: PluginForm)? {
    if let file = finder.file(of: role.name) { return (role.name, file.path, file.form) }
    let policies = "album-policies"
    if role.kind == .albumPolicy, Self.bundledPolicies.contains(role.name), let file = finder.file(of: policies) {
      return (policies, file.path, file.form)
    }
    return nil
  }

  /// They share one object.
  private static let bundledPolicies: Set = ["none", "own", "full", "shared-read"]

  private func bundledProgram(_ name: String, _ path: String, _ form: PluginForm, _ role: PluginRole)
    throws(PluginFailure) -> ChildOptions
  {
    try WriteProtection.check(path, trusting: bundled.trusted)
    var options = try finder.options(for: path, form, of: [name, role.name])
    options.journal = journal(of: name)
    return options
  }

  /// How to run a file that must be the one with this digest, whenever it is started: it is opened
  /// once, looked at, and run from that descriptor, which stays open.
  func pinned(_ path: String, _ form: PluginForm, _ digest: String, of name: String) throws(PluginFailure)
    -> ChildOptions
  {
    let number = ChildOptions.socketNumber + 1
    let opened = "/proc/self/fd/\(number)"
    var options = try finder.options(for: opened, form, of: [name])
    if form == .object { options.arguments.append(name) }
    // Of the copies of those that were installed its own alone.
    options.files?.readable = [String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])]
    options.journal = journal(of: name)
    options.prepare = { [self] (options: inout ChildOptions) in
      let file = FileDescriptor(owning: try open(path, digest, of: name))
      options.passed = [.init(SharedDescriptors(file), firstNumber: number)]
    }
    return options
  }

  /// Opens a plugin's file, which must be what was installed; where it is not, the plugin is disabled.
  /// - Returns: a descriptor, from which alone the file is to be loaded.
  func open(_ path: String, _ digest: String, of name: String) throws(PluginFailure) -> Int32 {
    do throws(PluginFailure) { return try look(at: path, digest, of: name) } catch {
      refuse(name, digest, error)
      throw error
    }
  }

  private func look(at path: String, _ digest: String, of name: String) throws(PluginFailure) -> Int32 {
    let advice = "Install it again with photobroker plugin install PATH --upgrade, or remove it."
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      throw PluginFailure(
        .offline,
        "Plugin \"\(name)\" is disabled: its file cannot be opened (\(String(cString: strerror(errno)))). \(advice)")
    }
    do throws(PluginFailure) {
      try WriteProtection.check(path, trusting: [geteuid()])
      let found = try PluginDigest.of(file)
      guard found == digest else {
        throw PluginFailure(
          .offline,
          "Plugin \"\(name)\" is disabled: its file was changed after it was installed (SHA-256 \(found), installed \(digest)). \(advice)"
        )
      }
      return file
    } catch {
      close(file)
      throw error
    }
  }

  /// Disables a plugin that is not what was installed, by name and with the reason.
  private func refuse(_ name: String, _ digest: String, _ failure: PluginFailure) {
    journal(of: name).note(failure.message)
    var isDisabledNow = false
    try? change { file in
      guard let index = file.plugins.firstIndex(where: { $0.name == name && $0.digest == digest && $0.isEnabled })
      else { return }
      // It may have been installed again meanwhile.
      if let sound = try? look(at: files.path(of: file.plugins[index]), digest, of: name) {
        close(sound)
        return
      }
      file.plugins[index].isEnabled = false
      file.plugins[index].problem = failure.message
      isDisabledNow = true
    }
    if isDisabledNow { tell(name, failure.message) }
  }

  /// Changes the file, on disk first; one change at a time, since loading finds things out as well.
  /// - Throws: what the body throws; `failed`, `noSpace`: nothing has changed then.
  func change(_ body: (inout CatalogueFile) throws(PluginFailure) -> Void) throws(PluginFailure) {
    try changing.withLock { _ throws(PluginFailure) in
      let former = current()
      if let fault = former.fault { throw PluginFailure(.failed, Self.advice(on: fault)) }
      var file = former
      try body(&file)
      guard file != former else { return }
      try files.prepare()
      try file.write(files.catalogue, in: files.folder)
      state.withLock { $0 = State(file: file, onDisk: FileState(files.catalogue), isRead: true) }
    }
  }
}
