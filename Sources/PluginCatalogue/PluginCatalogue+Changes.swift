import Glibc
package import PluginHost
import PluginKit
import Supervisor

/// Changes by owners' programs. They block and come from one thread.
extension PluginCatalogue {
  /// A described copy of a plugin's file that is not installed yet. The copy is deleted with this
  /// object unless it is installed.
  package final class Candidate: Sendable {
    package let name: String
    package let form: PluginForm
    package let digest: String
    package let description: PluginDescription
    /// The plugin of that name that it would replace.
    package let former: InstalledPlugin?
    /// The former plugin's roles that libraries use.
    package let served: [PluginRole]
    /// The reason why it cannot be installed; only in a preview.
    let obstacle: PluginFailure?
    let folder: String

    init(
      _ name: String, _ form: PluginForm, _ digest: String, _ description: PluginDescription,
      _ former: InstalledPlugin?,
      _ served: [PluginRole], _ obstacle: PluginFailure?, _ folder: String
    ) {
      (self.name, self.form, self.digest, self.description) = (name, form, digest, description)
      (self.former, self.served, self.obstacle, self.folder) = (former, served, obstacle, folder)
    }

    deinit { PluginFiles.remove(folder) }

    package var shown: CataloguedPlugin {
      CataloguedPlugin(
        name: name, origin: .installed, form: form,
        state: obstacle != nil ? .refused : staysDisabled ? .disabled : .enabled,
        problem: obstacle?.message, digest: digest, description: description, installed: nil, installedBy: nil)
    }

    /// Whether a person disabled the plugin that it would replace. The new one stays disabled then.
    package var staysDisabled: Bool { former.map { !$0.isEnabled && $0.problem == nil } ?? false }

    /// Whether this file is installed already, and the broker has not disabled it.
    package var isInstalled: Bool { former.map { $0.digest == digest && ($0.isEnabled || $0.problem == nil) } ?? false }
  }

  /// Copies a plugin's file and reads the copy's description, in a process of its own.
  /// - Parameters:
  ///   - file: a descriptor of the file. It stays the caller's.
  ///   - replaces: whether another file may replace an installed plugin of that name.
  ///   - isPreview: whether a taken role is reported in the candidate instead of thrown.
  /// - Throws: the reason why it cannot be installed, with a fix.
  package func candidate(
    _ file: Int32, named name: String, _ form: PluginForm, replaces: Bool, isPreview: Bool = false
  ) throws(PluginFailure) -> Candidate {
    guard PluginFinder.isName(name) else {
      throw PluginFailure(.unsupported, "\(PluginFinder.nameRule). Give one with --name.")
    }
    try PluginFile.check(file, form)
    let present = current()
    if present.fault != nil, let fault { throw PluginFailure(.unsupported, fault) }
    guard finder.file(of: name) == nil else {
      throw PluginFailure(
        .unsupported,
        "The name \(name) is taken by a plugin in one of the daemon's plugin folders. Give another with --name.")
    }
    let former = present.plugins.first { $0.name == name }
    try files.prepare()
    let copy = try files.copy(file, as: name, form)
    do throws(PluginFailure) {
      guard replaces || former == nil || former?.digest == copy.digest else {
        throw PluginFailure(
          .unsupported,
          "The name \(name) is taken by an installed plugin. Replace it with --upgrade, or give another with --name."
        )
      }
      let path = "\(copy.folder)/\(form.fileName(name))"
      let description = try describe(path, form, copy.digest, name)
      var obstacle: PluginFailure?
      do throws(PluginFailure) { try checkRoles(description.roles, except: name, present) } catch {
        guard isPreview else { throw error }
        obstacle = error
      }
      return Candidate(
        name, form, copy.digest, description, former, former.map(shown)?.served ?? [], obstacle, copy.folder)
    } catch {
      PluginFiles.remove(copy.folder)
      throw error
    }
  }

  /// Reads the description from the very bytes that were hashed.
  private func describe(_ path: String, _ form: PluginForm, _ digest: String, _ name: String) throws(PluginFailure)
    -> PluginDescription
  {
    var program = try pinned(path, form, digest, of: name)
    program.processorSeconds = 20
    // Its rights are decided after it described itself, and a description needs no network.
    program.isolatesNetwork = true
    let description: PluginDescription?
    do throws(PluginFailure) { description = try IsolatedPlugin.describe(name, program) } catch {
      // Any failure here means that the plugin cannot be installed.
      throw PluginFailure(.unsupported, error.message)
    }
    guard let description, !description.entries.isEmpty else { throw PluginDescription.missing }
    return description
  }

  /// Starts a candidate with a library's settings.
  /// - Throws: the failure of the start.
  package func tryStart(_ candidate: Candidate, _ role: PluginRole, _ settings: PluginSettings) throws(PluginFailure) {
    let path = "\(candidate.folder)/\(candidate.form.fileName(candidate.name))"
    var program = try pinned(path, candidate.form, candidate.digest, of: candidate.name)
    program.processorSeconds = 20
    try IsolatedPlugin.tryStart(role.kind, role.name, settings, program)
  }

  /// Checks that no other plugin has one of these roles.
  private func checkRoles(_ roles: [PluginRole], except name: String, _ present: CatalogueFile) throws(PluginFailure) {
    var taken: [PluginRole: String] = [:]
    for found in bundled.all() { for role in (try? found.description.get())?.roles ?? [] { taken[role] = found.name } }
    for other in present.plugins where other.name != name { for role in other.roles { taken[role] = other.name } }
    for role in roles {
      if let holder = taken[role] {
        throw PluginFailure(.unsupported, "It registers the \(role), and that name is taken by the plugin \(holder).")
      }
      // Plugins in the plugin folders are found by their file names.
      guard finder.file(of: role.name) == nil else {
        throw PluginFailure(
          .unsupported, "It registers the \(role), and that name is taken by a plugin in the daemon's plugin folders.")
      }
    }
  }

  /// Installs a candidate in place of its former plugin. It stays disabled if a person disabled
  /// that.
  /// - Parameter time: microseconds since 1970.
  /// - Throws: `failed`, `noSpace`; the catalogue is then unchanged.
  package func install(_ candidate: Candidate, by user: UInt32, at time: Int64, development: Bool) throws(PluginFailure)
    -> CataloguedPlugin
  {
    var plugin = InstalledPlugin(
      name: candidate.name, form: candidate.form, digest: candidate.digest, installed: time, installedBy: Int64(user),
      description: candidate.description)
    plugin.isDevelopment = development
    plugin.isEnabled = !candidate.staysDisabled
    let line = plugin
    try change { (file) throws(PluginFailure) in
      let former = file.plugins.first { $0.name == line.name }
      guard former?.digest == candidate.former?.digest, former?.isEnabled == candidate.former?.isEnabled else {
        throw PluginFailure(.failed, "The catalogue was changed meanwhile. Try again.")
      }
      if let same = file.plugins.first(where: { $0.digest == line.digest && $0.name != line.name }) {
        throw PluginFailure(.unsupported, "The same file is installed already, as \(same.name).")
      }
      file.plugins.removeAll { $0.name == line.name }
      file.plugins.append(line)
      try files.keep(candidate.folder, as: line.digest)
    }
    return plugin.shown
  }

  /// Deletes the file of a removed plugin, unless another line has the same digest.
  package func discard(_ former: InstalledPlugin) {
    guard !current().plugins.contains(where: { $0.digest == former.digest }) else { return }
    PluginFiles.remove(files.folder(of: former.digest))
  }

  /// Enables or disables a plugin. Enabling checks the file as an installation does.
  /// - Throws: `notFound`; the reason why it cannot be enabled, with a fix.
  package func setEnabled(_ name: String, _ enabled: Bool) throws(PluginFailure) -> CataloguedPlugin {
    guard let plugin = current().plugins.first(where: { $0.name == name }) else {
      guard bundled.all().contains(where: { $0.name == name }) else { throw Self.unknown(name) }
      try change { file in
        if enabled { file.disabled.remove(name) } else { file.disabled.insert(name) }
      }
      return try self.plugin(name)
    }
    if enabled { _ = try describe(files.path(of: plugin), plugin.form, plugin.digest, name) }
    try change { (file) throws(PluginFailure) in
      guard let index = file.plugins.firstIndex(where: { $0.name == name }) else { throw Self.unknown(name) }
      file.plugins[index].isEnabled = enabled
      file.plugins[index].problem = nil
    }
    return try self.plugin(name)
  }

  /// Removes an installed plugin and its file.
  /// - Throws: `notFound`; `unsupported` for a bundled plugin.
  package func remove(_ name: String) throws(PluginFailure) {
    guard let plugin = current().plugins.first(where: { $0.name == name }) else {
      if finder.file(of: name) == nil { throw Self.unknown(name) }
      throw PluginFailure(
        .unsupported,
        "Plugin \(name) came with the broker and cannot be removed. Disable it: photobroker plugin disable \(name).")
    }
    try change { file in file.plugins.removeAll { $0.name == name } }
    discard(plugin)
    forgetJournal(of: name)
  }

  /// Returns the plugin of that name; of two the installed one, because it can be changed.
  /// - Throws: `notFound`.
  package func plugin(_ name: String) throws(PluginFailure) -> CataloguedPlugin {
    if let installed = current().plugins.first(where: { $0.name == name }) { return shown(installed) }
    guard let plugin = plugins().first(where: { $0.name == name }) else { throw Self.unknown(name) }
    return plugin
  }

  /// Returns the journal of a known plugin.
  /// - Throws: `notFound`.
  package func journal(ofPlugin name: String) throws(PluginFailure) -> PluginJournal {
    guard current().plugins.contains(where: { $0.name == name }) || finder.file(of: name) != nil else {
      throw Self.unknown(name)
    }
    return journal(of: name)
  }

  private static func unknown(_ name: String) -> PluginFailure {
    PluginFailure(.notFound, "There is no plugin of that name. To list the plugins: photobroker plugin list.")
  }
}
