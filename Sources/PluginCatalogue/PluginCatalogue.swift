import CLinux
import Glibc
package import PluginHost
package import PluginKit
package import Supervisor
import Synchronization
import UnixSocket

/// All plugins of a daemon: bundled ones in its plugin folders, and installed ones, each in a state
/// folder named by its SHA-256. Thread-safe; changes come from one thread at a time.
package final class PluginCatalogue: Sendable {
  struct State {
    var file = CatalogueFile()
    /// State of the file that was read; nil if it did not exist.
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
  /// Receives the catalogue's own findings, in words.
  let tell: @Sendable (_ plugin: String, _ what: String) -> Void
  /// Receives missing limits of plugins in use, in words.
  private let remark: @Sendable (_ plugin: String, _ what: String) -> Void

  /// - Parameters:
  ///   - folder: the folder for installed plugins in the daemon's state, made at the first
  ///     installation.
  ///   - tell: called from any thread, when a plugin was disabled because its file changed, and
  ///     when the catalogue file has a fault.
  ///   - remark: called from any thread, when a plugin's processes lack a limit.
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

  // MARK: Contents

  /// The fault of the catalogue file, with a fix; nil if there is none.
  package var fault: String? { current().fault.map { Self.advice(on: $0) } }

  private static func advice(on fault: String) -> String {
    """
    The catalogue of installed plugins (plugins/catalogue.json in the broker's state) cannot be used: \(fault). \
    Repair it, or move it away and install the plugins again.
    """
  }

  /// The installed plugins by name, without bundled ones. Blocks: on a worker only.
  package var installed: [CataloguedPlugin] { current().plugins.map(\.shown).sorted { $0.name < $1.name } }

  /// Returns the plugin with its rights: whether it runs in the daemon, and whether it may use the
  /// network.
  package func placed(_ plugin: CataloguedPlugin) -> CataloguedPlugin {
    // An installed plugin gets rights by its installed name alone, because it chooses the names
    // that it registers.
    let names =
      plugin.origin == .bundled ? [plugin.name] + (plugin.description?.roles ?? []).map(\.name) : [plugin.name]
    var placed = plugin
    placed.isTrusted = !finder.trusted.isDisjoint(with: names)
    placed.hasNetwork = placed.isTrusted || !finder.networked.isDisjoint(with: names)
    if placed.problem == nil { placed.problem = journals.withLock { $0[plugin.name]?.lack } }
    return placed
  }

  /// Lists all plugins by name. Blocks: on a worker only.
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

  /// Lists an installed plugin. A newer broker may bundle a plugin with one of its names, or a
  /// person may have edited the name.
  func shown(_ plugin: InstalledPlugin) -> CataloguedPlugin {
    var shown = plugin.shown
    guard let problem = displacement(of: plugin) else { return shown }
    shown.isDisplaced = true
    if plugin.isEnabled { (shown.state, shown.problem) = (.refused, problem) }
    return shown
  }

  /// The reason why a bundled plugin is used instead of this enabled one; nil if none has its
  /// names.
  private func displacement(of plugin: InstalledPlugin) -> String? {
    let taken = plugin.roles.first { bundledFile(for: $0) != nil }.map { "the \($0)" }
    guard let taken = finder.file(of: plugin.name) == nil ? taken : "the name \(plugin.name)" else { return nil }
    return
      """
      A plugin in one of the daemon's plugin folders has \(taken), and is used instead. Install this one under \
      another name, or remove it.
      """
  }

  /// The current file. Edits take effect without a restart.
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
    // The file holds the valid digests, so no other user may have been able to write it.
    do throws(PluginFailure) { try WriteProtection.check(files.catalogue, trusting: [geteuid()]) } catch {
      return CatalogueFile(fault: error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message)
    }
    return CatalogueFile.read(files.catalogue)
  }

  /// The journal of a plugin's processes, kept until the broker ends.
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

  /// Returns the command and limits for a role's plugin.
  /// - Throws: the reason why no usable plugin has the role, with a fix.
  package func program(for role: PluginRole) throws(PluginFailure) -> ChildOptions {
    let file = current()
    if let (name, path, form) = bundledFile(for: role) {
      guard !file.disabled.contains(name) else { throw Self.disabled(name, nil) }
      try checkBundled(path)
      var options = try finder.options(for: path, form, of: [name, role.name])
      options.journal = journal(of: name)
      return options
    }
    if let plugin = file.plugins.first(where: { $0.roles.contains(role) }) {
      try checkUsable(plugin)
      return try pinned(files.path(of: plugin), plugin.form, plugin.digest, of: plugin.name)
    }
    let more =
      file.fault == nil
      ? "" : " The catalogue of installed plugins cannot be used: see photobroker plugin list."
    throw PluginFailure(
      .unsupported,
      "No plugin offers the \(role): it is not installed, and is not in \(finder.directories.joined(separator: ", ")). "
        + "Install it: photobroker plugin install PATH.\(more)")
  }

  /// The described options of an installed plugin; nil if the role is bundled or unknown. Blocks:
  /// on a worker only.
  package func installedOptions(of role: PluginRole) -> [PluginOption]? {
    guard bundledFile(for: role) == nil, let plugin = current().plugins.first(where: { $0.roles.contains(role) }) else {
      return nil
    }
    return (try? plugin.description.entry(role.kind, role.name))?.options
  }

  struct TrustedFile {
    var name: String
    var path: String
    var form: PluginForm
    /// Nil for a bundled plugin.
    var digest: String?
  }

  /// Returns the file for a role if its plugin is trusted.
  /// - Throws: if the plugin is disabled.
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
    try checkUsable(plugin)
    return TrustedFile(name: plugin.name, path: files.path(of: plugin), form: plugin.form, digest: plugin.digest)
  }

  /// Whether a plugin, or a role of a bundled one, has this name.
  package func isKnown(_ name: String) -> Bool {
    let isBundled =
      bundledFile(for: PluginRole(.storage, name)) != nil || bundledFile(for: PluginRole(.albumPolicy, name)) != nil
    return isBundled || current().plugins.contains { $0.name == name }
  }

  /// - Throws: if others could write the file of a bundled plugin.
  func checkBundled(_ path: String) throws(PluginFailure) { try WriteProtection.check(path, trusting: bundled.trusted) }

  private func checkUsable(_ plugin: InstalledPlugin) throws(PluginFailure) {
    guard plugin.isEnabled else { throw Self.disabled(plugin.name, plugin.problem) }
    if let problem = displacement(of: plugin) { throw PluginFailure(.unsupported, problem) }
  }

  private static func disabled(_ name: String, _ problem: String?) -> PluginFailure {
    PluginFailure(
      .offline, problem ?? "Plugin \"\(name)\" is disabled. To enable it: photobroker plugin enable \(name).")
  }

  /// The file in a plugin folder for a role: the file of that name, or the one of the bundled
  /// policies.
  private func bundledFile(for role: PluginRole) -> (name: String, path: String, form: PluginForm)? {
    if let file = finder.file(of: role.name) { return (role.name, file.path, file.form) }
    let policies = "album-policies"
    if role.kind == .albumPolicy, Self.bundledPolicies.contains(role.name), let file = finder.file(of: policies) {
      return (policies, file.path, file.form)
    }
    return nil
  }

  /// These roles share one object.
  private static let bundledPolicies: Set = ["none", "own", "full", "shared-read"]

  /// Returns the command for a file that must have this digest at every start. The file is opened
  /// once, checked, and run from that descriptor.
  func pinned(_ path: String, _ form: PluginForm, _ digest: String, of name: String) throws(PluginFailure)
    -> ChildOptions
  {
    let number = ChildOptions.socketNumber + 1
    let opened = "/proc/self/fd/\(number)"
    var options = try finder.options(for: opened, form, of: [name])
    if form == .object { options.arguments.append(name) }
    // Its own folder, and no other installed plugin's.
    options.files?.readable = [String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])]
    options.journal = journal(of: name)
    options.prepare = { [self] (options: inout ChildOptions) in
      let file = FileDescriptor(owning: try open(path, digest, of: name))
      options.passed = [.init(SharedDescriptors(file), firstNumber: number)]
    }
    return options
  }

  /// Opens a plugin's file and checks it. A plugin whose file has changed is disabled.
  /// - Returns: a descriptor, the only safe way to load the file.
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
          """
          Plugin "\(name)" is disabled: its file was changed after it was installed (SHA-256 \(found), installed \
          \(digest)). \(advice)
          """
        )
      }
      return file
    } catch {
      close(file)
      throw error
    }
  }

  /// Disables a changed plugin, with the reason.
  private func refuse(_ name: String, _ digest: String, _ failure: PluginFailure) {
    journal(of: name).note(failure.message)
    var isDisabledNow = false
    try? change { file in
      guard let index = file.plugins.firstIndex(where: { $0.name == name && $0.digest == digest && $0.isEnabled })
      else { return }
      // The plugin may have been installed again meanwhile.
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

  /// Changes the file, on disk first. One change at a time, because loading a plugin can disable
  /// it.
  /// - Throws: the errors of `body`; `failed`, `noSpace`. The file is then unchanged.
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
