import Glibc
package import PluginHost
import PluginKit
import Supervisor

extension CheckedPlugin {
  /// The location of a plugin, and the part of it to check.
  package struct Place: Sendable {
    /// Absolute path of a shared object, or of a program that speaks `io.photobroker.Plugin`.
    package var path: String
    /// The path of `photobroker-plugin-host`.
    package var host: String
    /// Nil checks every name that it describes; without a description, its file's name without
    /// `.plugin`.
    package var name: String?
    /// Nil checks every protocol.
    package var kind: PluginProtocol?
    package var hasNetwork = false
    package var limits = PluginAllowance()

    package init(path: String, host: String) {
      self.path = path
      self.host = host
    }
  }

  /// Finds the plugin at a path, under each of its names.
  /// - Throws: `unsupported` if it is no plugin, or has no such name; `failed` if the plugin host
  ///   is missing.
  package static func all(at place: Place, settings: PluginSettings, mayChange: Bool) throws(PluginFailure)
    -> [CheckedPlugin]
  {
    let (file, form) = PluginForm.suggested(by: place.path.split(separator: "/").last ?? "")
    do throws(PluginFailure) { try PluginFile.check(at: place.path, form) } catch {
      let what = form == .program ? "This is neither a shared object, whose name ends with .so, nor a program. " : ""
      throw PluginFailure(error.code, what + error.message)
    }
    guard PluginFinder.isName(file) else {
      throw PluginFailure(
        .unsupported,
        "\(PluginFinder.nameRule), and this file's name does not fit. Rename it to libNAME.so or NAME.plugin.")
    }
    let finder = PluginFinder(directories: [], host: place.host, networked: place.hasNetwork ? [file] : [])
    let program = try finder.options(for: place.path, form, of: [file])
    defer { Descendants.settle() }
    func made(_ kind: PluginProtocol, _ name: String, _ settings: PluginSettings) -> CheckedPlugin {
      var plugin = CheckedPlugin(kind, name, program: program, settings: settings, mayChange: mayChange)
      plugin.limits = place.limits
      return plugin
    }
    guard let description = try IsolatedPlugin.describe(file, program) else {
      let name = place.name ?? file
      let kind = if let known = place.kind { known } else { try protocolThatStarts(name, program) }
      var plugin = made(kind, name, settings)
      plugin.isDescribed = false
      return [plugin]
    }
    let found = description.entries.filter { entry in
      (place.name ?? entry.name) == entry.name && (place.kind ?? entry.kind) == entry.kind
    }
    guard !found.isEmpty else {
      let there = description.entries.map { "\($0.kind.words) \"\($0.name)\"" }.joined(separator: ", ")
      throw PluginFailure(
        .unsupported,
        "The plugin registers no such name and protocol. It registers: \(there.isEmpty ? "nothing" : there).")
    }
    // Each gets the options that it described. An option of none is a mistake.
    func has(_ entry: PluginDescription.Entry, _ option: String) -> Bool {
      entry.options.contains { $0.name == option }
    }
    for name in (Array(settings.options.keys) + Array(settings.secrets.keys)).sorted()
    where !found.contains(where: { has($0, name) }) {
      let there = Set(found.flatMap { $0.options.map(\.name) }).sorted().joined(separator: ", ")
      throw PluginFailure(
        .invalidOption, "The plugin has no option \"\(name)\". Its options: \(there.isEmpty ? "none" : there).")
    }
    return found.map { entry in
      var own = settings
      own.options = own.options.filter { has(entry, $0.key) }
      own.secrets = own.secrets.filter { has(entry, $0.key) }
      return made(entry.kind, entry.name, own)
    }
  }

  /// Tries each protocol with a program that does not describe itself. The first one not answered
  /// with `unsupported` wins.
  private static func protocolThatStarts(_ name: String, _ program: ChildOptions) throws(PluginFailure)
    -> PluginProtocol
  {
    var last = ""
    for kind in PluginProtocol.allCases {
      do {
        let process = try PluginProcess(CheckedPlugin(kind, name, program: program))
        defer { process.end() }
        try process.start()
        return kind
      } catch let failure as PluginFailure where failure.code != .unsupported {
        // It knows the protocol and misses an option.
        return kind
      } catch let failure as PluginFailure {
        last = failure.message
      } catch let complaint as Complaint {
        throw PluginFailure(.unsupported, complaint.message)
      } catch {
        throw PluginFailure(.failed, "\(error)")
      }
    }
    throw PluginFailure(
      .unsupported,
      """
      It has no storage, album policy or cloud mapping "\(name)". Give --name or --protocol. It said: \
      \(IsolatedPlugin.plain(last))
      """
    )
  }
}
