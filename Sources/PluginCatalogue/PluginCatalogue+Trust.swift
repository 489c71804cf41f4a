import Glibc
import Monitor
package import PluginHost
import PluginKit
package import Supervisor

/// The place where a plugin runs.
package enum PluginPlace: Sendable {
  case process(ChildOptions)
  case daemon(TrustedObject)
}

/// Trusted plugins, each loaded once and kept. The key is the file's digest or path.
final class TrustedObjects: Sendable {
  private let loaded = Monitor<[String: Result<TrustedObject, PluginFailure>?]>([:])

  /// Timeout for loading, which runs code of the plugin.
  private static let loadTime = Duration.seconds(10)

  /// Returns a trusted plugin's object, loading it first if needed. Blocks; a stuck load delays no
  /// other plugin.
  /// - Parameter tell: see ``TrustedObject/init(loading:tell:)``.
  func object(
    _ file: String, at path: () throws(PluginFailure) -> String, tell: @escaping @Sendable (_ what: String) -> Void
  ) throws(PluginFailure) -> TrustedObject {
    let isNew = loaded.withLock { table in
      // A failed load is retried, because a missing library may have been installed since.
      if case .some(.some(.failure)) = table[file] { table[file] = nil }
      defer { if table[file] == nil { table[file] = .some(nil) } }
      return table[file] == nil
    }
    if isNew {
      do throws(PluginFailure) { try load(file, at: try path(), tell: tell) } catch {
        loaded.change { $0[file] = nil }
        throw error
      }
    }
    guard let result = loaded.wait(until: .after(Self.loadTime), for: { $0[file] ?? nil }) else {
      let failure = PluginFailure(.offline, "Loading it timed out. \(TrustedObject.advice)")
      tell(failure.message)
      throw failure
    }
    return try result.get()
  }

  private func load(_ file: String, at path: String, tell: @escaping @Sendable (_ what: String) -> Void)
    throws(PluginFailure)
  {
    let loaded = loaded
    let isStarted = DetachedThread.start(stackBytes: TrustedObject.stackBytes) {
      let result = Result { () throws(PluginFailure) in try TrustedObject(loading: path, tell: tell) }
      loaded.change { $0[file] = result }
    }
    guard isStarted else {
      throw PluginFailure(.offline, "The daemon cannot start another thread. Raise its limit of threads.")
    }
  }
}

extension PluginCatalogue {
  /// Returns the place where a role's plugin runs. Blocks: on a worker only.
  /// - Throws: the reason why no usable plugin has the role, with a fix.
  package func place(of role: PluginRole) throws(PluginFailure) -> PluginPlace {
    guard let found = try trustedFile(of: role) else { return .process(try program(for: role)) }
    guard found.form == .object else {
      throw PluginFailure(
        .unsupported,
        "Plugin \"\(found.name)\" is a program, and only shared objects run inside the daemon. Remove --trust.")
    }
    let (journal, told) = (journal(of: found.name), tell)
    return .daemon(
      try trustedObjects.object(found.digest ?? found.path) { () throws(PluginFailure) in
        try loadable(found)
      } tell: { what in
        journal.note(what)
        told(found.name, what)
      })
  }

  /// Returns a path that the loader can open, with the checked bytes.
  private func loadable(_ found: TrustedFile) throws(PluginFailure) -> String {
    guard let digest = found.digest else {
      try checkBundled(found.path)
      return found.path
    }
    // The descriptor stays open: the loader identifies files by name, and would take another file
    // under this number for the loaded one.
    return "/proc/self/fd/\(try open(found.path, digest, of: found.name))"
  }
}
