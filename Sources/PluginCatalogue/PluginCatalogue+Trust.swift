import Glibc
import Monitor
package import PluginHost
import PluginKit
package import Supervisor

/// Where a plugin runs.
package enum PluginPlace: Sendable {
  /// In a process of its own.
  case process(ChildOptions)
  /// Inside of the daemon.
  case daemon(TrustedObject)
}

/// Trusted plugins, loaded once: what is loaded stays, under the name of the file that it came from.
final class TrustedObjects: Sendable {
  private let loaded = Monitor<[String: Result<TrustedObject, PluginFailure>?]>([:])

  /// How long loading may take, which runs code of the plugin.
  private static let loadTime = Duration.seconds(10)

  /// Blocks; what one file's loading is stuck in keeps nobody waiting who wants another.
  /// - Parameter tell: see ``TrustedObject/init(loading:tell:)``.
  func object(
    _ file: String, at path: () throws(PluginFailure) -> String, tell: @escaping @Sendable (_ what: String) -> Void
  ) throws(PluginFailure) -> TrustedObject {
    let isNew = loaded.withLock { table in
      // One that failed is tried again: what it needs may be there by now.
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
      let failure = PluginFailure(.offline, "It did not come back from being loaded in time. \(TrustedObject.advice)")
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
    guard isStarted else { throw PluginFailure(.offline, "The daemon has no room for another thread.") }
  }
}

extension PluginCatalogue {
  /// Where what offers something is to run. Blocks: on a worker only.
  /// - Throws: where nothing that can be used offers it, saying why and what to do.
  package func place(of role: PluginRole) throws(PluginFailure) -> PluginPlace {
    guard let found = try trustedFile(of: role) else { return .process(try program(for: role)) }
    guard found.form == .object else {
      throw PluginFailure(
        .unsupported,
        "Plugin \"\(found.name)\" is a program, and only shared objects run inside of the daemon: take --trust away.")
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
