import Glibc
import PluginKit
package import Supervisor

/// Finds plugins by name in the daemon's plugin folders. A plugin is `libNAME.so`, run by the
/// plugin host, or a program `NAME.plugin`.
package struct PluginFinder: Sendable {
  /// Plugin folders in search order.
  package var directories: [String]
  /// The path of `photobroker-plugin-host`.
  package var host: String
  /// Names of the plugins whose processes may use the network. A bundled plugin goes by its file's
  /// name or a name that it registers. An installed one goes by its installed name alone, because a
  /// plugin chooses the names that it registers.
  package var networked: Set<String>
  /// Names of the plugins that run in the daemon, because an administrator trusts them like the
  /// daemon itself.
  package var trusted: Set<String>

  /// The broker's state folder, hidden from plugins' processes; nil if there is none.
  package var state: String?
  /// The folder of the broker's sockets, hidden from plugins' processes; nil if there is none.
  package var runtime: String?

  /// Parent of the private temporary folders of plugins' processes.
  package var scratch: String {
    state.map { "\($0)/scratch" } ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  /// Sets the limits of a plugin's processes: heap and private writable mappings, shared memory,
  /// file size, number of processes.
  package static func limit(_ program: inout ChildOptions) {
    program.dataBytes = 2 << 30
    program.sharedBytes = 1 << 30
    // Includes memory files. A process that adds photos to a storage has no such limit.
    program.fileBytes = 1 << 30
    program.processes = 128
    program.isolatesProcesses = true
    program.niceness = 5
    program.isFirstToEnd = true
  }

  package init(
    directories: [String], host: String, networked: Set<String> = [], trusted: Set<String> = [], state: String? = nil,
    runtime: String? = nil
  ) {
    self.directories = directories
    self.host = host
    self.networked = networked
    self.trusted = trusted
    self.state = state
    self.runtime = runtime
  }

  /// The file of a plugin; nil if no plugin folder has it.
  package func file(of name: String) -> (path: String, form: PluginForm)? {
    guard Self.isName(name) else { return nil }
    for directory in directories {
      for (form, mode) in [(PluginForm.object, R_OK), (.program, X_OK)] {
        let path = "\(directory)/\(form.fileName(name))"
        if access(path, mode) == 0 { return (path, form) }
      }
    }
    return nil
  }

  /// Returns the command and limits for a plugin's file.
  /// - Parameter names: the plugin's names. The process may use the network if one of them is
  ///   listed in ``networked``.
  /// - Throws: `failed` if the plugin host is not installed.
  package func options(for path: String, _ form: PluginForm, of names: [String]) throws(PluginFailure) -> ChildOptions {
    var options = ChildOptions(path: path)
    if form == .object {
      guard access(host, X_OK) == 0 else {
        throw PluginFailure(.failed, "The plugin host is not installed: there is no \(host).")
      }
      options = ChildOptions(path: host, arguments: [path])
      options.environment["LD_LIBRARY_PATH"] = getenv("LD_LIBRARY_PATH").map { String(cString: $0) }
    }
    Self.limit(&options)
    options.isolatesNetwork = networked.isDisjoint(with: names)
    var files = FileReach(hidden: state)
    if let runtime { files.alsoHidden = [runtime] }
    options.files = files
    options.scratch = .init(in: scratch)
    return options
  }

  /// Returns the command and limits for a plugin.
  /// - Parameter object: the shared object's name, if it differs from the plugin's.
  /// - Throws: `unsupported` if it is not installed, with the searched folders.
  package func program(for name: String, object: String? = nil) throws(PluginFailure) -> ChildOptions {
    guard Self.isName(name) else {
      throw PluginFailure(.unsupported, "A plugin's name has lower-case letters, digits and hyphens only.")
    }
    guard let file = file(of: object ?? name) else {
      throw PluginFailure(
        .unsupported, "Plugin \"\(name)\" is not installed; looked in \(directories.joined(separator: ", ")).")
    }
    return try options(for: file.path, file.form, of: [name])
  }

  /// The first half of a message; the caller adds the fix.
  package static let nameRule = "A plugin's name has 1 to 64 of a-z, 0-9 and hyphen"

  package static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
  }
}
