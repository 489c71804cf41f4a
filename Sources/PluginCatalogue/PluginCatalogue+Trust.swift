import Glibc
package import PluginHost
import PluginKit
package import Supervisor
import Synchronization

/// Where a plugin runs.
package enum PluginPlace: Sendable {
  /// In a process of its own.
  case process(ChildOptions)
  /// Inside of the daemon.
  case daemon(TrustedObject)
}

/// Trusted plugins, loaded once: what is loaded stays, under the name of the file that it came from.
final class TrustedObjects: Sendable {
  private let loaded = Mutex<[String: TrustedObject]>([:])

  func object(_ file: String, at path: () throws(PluginFailure) -> String) throws(PluginFailure) -> TrustedObject {
    try loaded.withLock { (table) throws(PluginFailure) in
      if let known = table[file] { return known }
      let object = try TrustedObject(loading: try path())
      table[file] = object
      return object
    }
  }
}

extension PluginCatalogue {
  /// Where what offers something is to run. Blocks: on a worker only.
  /// - Throws: where nothing that can be used offers it, saying why and what to do.
  package func place(of role: PluginRole) throws(PluginFailure) -> PluginPlace {
    guard let found = try trustedFile(of: role) else { return .process(try program(for: role)) }
    guard found.form == .object else {
      throw PluginFailure(
        .unsupported, "Plugin \"\(found.name)\" is a program, and only shared objects run inside of the daemon: take --trust away.")
    }
    return .daemon(try trustedObjects.object(found.digest ?? found.path) { () throws(PluginFailure) in try loadable(found) })
  }

  /// A path from which a trusted object can be loaded, whose bytes are those that were looked at.
  private func loadable(_ found: TrustedFile) throws(PluginFailure) -> String {
    guard let digest = found.digest else {
      try checkBundled(found.path)
      return found.path
    }
    // It stays open: the loader knows files by name, and would take another one under this number for the one it has.
    return "/proc/self/fd/\(try open(found.path, digest, of: found.name))"
  }
}
