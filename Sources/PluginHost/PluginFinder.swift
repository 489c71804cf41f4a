import Glibc
import PluginKit
package import Supervisor

/// Finds plugins by name in the daemon's plugin folders: `libNAME.so`, run by the plugin host, or a
/// program `NAME.plugin` that speaks the protocol itself.
package struct PluginFinder: Sendable {
  /// Looked at in this order.
  package var directories: [String]
  /// `photobroker-plugin-host`.
  package var host: String
  /// Names of the plugins whose processes may use the network; all others are cut off from it. A
  /// bundled one's is that of its file or of what it offers; an installed one's is the one that it
  /// was installed under, and never one that it registers.
  package var networked: Set<String>
  /// Names of the plugins that run inside of the daemon, because who starts it trusts them as much
  /// as the daemon itself.
  package var trusted: Set<String>

  /// The broker's state, which no plugin's process reaches; nil where there is none to keep from it.
  package var state: String?
  /// Where its sockets are, which nobody else takes away or exchanges; nil: there are none.
  package var runtime: String?

  /// Where each of their processes has a folder of its own while it runs.
  package var scratch: String {
    state.map { "\($0)/scratch" } ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  /// Gives a plugin's processes their limits: heap and private writable mappings, shared memory,
  /// one file, and how many they may be.
  package static func limit(_ program: inout ChildOptions) {
    program.dataBytes = 2 << 30
    program.sharedBytes = 1 << 30
    // Memory files count. A process that writes photos into a storage has no such limit.
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

  /// The file of a plugin; nil where none of the folders has it.
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

  /// How to run a plugin's file.
  /// - Parameter names: What the broker or an administrator calls the plugin, any of which may be
  ///   one that may use the network.
  /// - Throws: `failed` where there is no plugin host.
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
    options.scratch = scratch
    return options
  }

  /// How to run a plugin.
  /// - Parameter object: The name of the shared object that offers it, where that is another one.
  /// - Throws: where it is not installed, naming it and the folders that were looked at.
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

  /// In words, to be gone on with what to do.
  package static let nameRule = "A plugin's name has 1 to 64 of a-z, 0-9 and hyphen"

  /// Whether a plugin, or what one offers, can be called so.
  package static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
  }
}
