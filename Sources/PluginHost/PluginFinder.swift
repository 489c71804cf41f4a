import Glibc
import PluginKit
package import Supervisor

/// Finds installed plugins by name: `libNAME.so`, run by the plugin host, or a program `NAME.plugin` that speaks the
/// protocol itself.
package struct PluginFinder: Sendable {
  /// Looked at in this order.
  package var directories: [String]
  /// `photobroker-plugin-host`.
  package var host: String
  /// Names of the plugins whose processes may use the network; all others are cut off from it.
  package var networked: Set<String>

  package init(directories: [String], host: String, networked: Set<String> = []) {
    self.directories = directories
    self.host = host
    self.networked = networked
  }

  /// How to run a plugin.
  /// - Throws: where it is not installed, naming it and the folders that were looked at.
  package func program(for name: String, object: String? = nil) throws(PluginFailure) -> ChildOptions {
    guard Self.isName(name) else {
      throw PluginFailure(.invalidOption, "A plugin's name has lower-case letters, digits and hyphens only.")
    }
    for directory in directories {
      let shared = "\(directory)/lib\(object ?? name).so"
      if access(shared, R_OK) == 0 {
        guard access(host, X_OK) == 0 else {
          throw PluginFailure(.failed, "The plugin host is not installed: there is no \(host).")
        }
        var options = ChildOptions(path: host, arguments: [shared])
        options.dataBytes = 2 << 30
        options.isolatesNetwork = !networked.contains(name)
        options.environment["LD_LIBRARY_PATH"] = getenv("LD_LIBRARY_PATH").map { String(cString: $0) }
        return options
      }
      let program = "\(directory)/\(name).plugin"
      if access(program, X_OK) == 0 {
        var options = ChildOptions(path: program)
        options.isolatesNetwork = !networked.contains(name)
        return options
      }
    }
    throw PluginFailure(
      .unsupported, "Plugin \"\(name)\" is not installed; looked in \(directories.joined(separator: ", ")).")
  }

  /// Whether a plugin can be called so.
  static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
  }
}
