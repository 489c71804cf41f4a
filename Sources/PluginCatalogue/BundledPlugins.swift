import Glibc
package import PluginHost
import PluginKit
import Synchronization
import UnixSocket

/// The plugins in the daemon's plugin folders, `libNAME.so` and `NAME.plugin`. They came with the
/// broker, or an administrator put them there. They are found by name, and their digests are not
/// pinned.
package final class BundledPlugins: Sendable {
  package struct Found: Sendable {
    package let name: String
    package let path: String
    package let form: PluginForm
    package let description: Result<PluginDescription, PluginFailure>
  }

  /// Users beside root who may own a plugin's file: the broker's, and the owner of the plugin host,
  /// who could replace that as well.
  var trusted: Set<UInt32> {
    var facts = stat()
    return stat(finder.host, &facts) == 0 ? [geteuid(), facts.st_uid] : [geteuid()]
  }

  private struct Known: Sendable {
    var state: FileState
    /// Nil if the file is no plugin.
    var description: Result<PluginDescription, PluginFailure>?
  }

  private let finder: PluginFinder
  private let known = Mutex<[String: Known]>([:])

  package init(_ finder: PluginFinder) { self.finder = finder }

  /// Lists all plugins by name; the first folder wins for a name that occurs twice. Blocks, because
  /// each new one is asked for its description.
  package func all() -> [Found] {
    var found: [String: Found] = [:]
    for directory in finder.directories {
      for entry in (FolderListing.names(in: directory) ?? []).sorted() {
        guard let (name, form) = PluginForm.named(entry), found[name] == nil else { continue }
        let path = "\(directory)/\(entry)"
        guard let state = FileState(path), let description = describe(path, state, form, name) else { continue }
        found[name] = Found(name: name, path: path, form: form, description: description)
      }
    }
    return found.values.sorted { $0.name < $1.name }
  }

  /// Asks a new or changed file for its description. Nil if it is no plugin.
  private func describe(
    _ path: String, _ state: FileState, _ form: PluginForm, _ name: String
  ) -> Result<PluginDescription, PluginFailure>? {
    if let known = known.withLock({ $0[path] }), known.state == state { return known.description }
    guard form == .program || Self.isPlugin(path) else {
      known.withLock { $0[path] = Known(state: state, description: nil) }
      return nil
    }
    let description = Result { () throws(PluginFailure) in
      // Checked before it runs, even to describe itself.
      try WriteProtection.check(path, trusting: trusted)
      let said = try IsolatedPlugin.describe(name, finder.options(for: path, form, of: [name]))
      guard let said else { throw PluginFailure(.unsupported, "It does not describe itself. Update the plugin.") }
      return said
    }
    // A failure is not kept: the machine may only have been slow.
    if case .success = description { known.withLock { $0[path] = Known(state: state, description: description) } }
    return description
  }

  /// Whether a shared object holds the name of the function that only plugins export. The kit and
  /// the Swift runtime may be in the same folder.
  private static func isPlugin(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    let word: StaticString = "photobroker_plugin_register"
    let length = word.utf8CodeUnitCount
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var offset = 0
    while true {
      let count = pread(file, &piece, piece.count, off_t(offset))
      guard count >= length else { return false }
      let isThere = holds(word, piece, count)
      if isThere { return true }
      // The name may span two pieces.
      offset += count - length + 1
      guard count == piece.count else { return false }
    }
  }

  private static func holds(_ word: StaticString, _ piece: [UInt8], _ count: Int) -> Bool {
    piece.withUnsafeBytes { bytes in
      let length = word.utf8CodeUnitCount
      guard let start = bytes.baseAddress else { return false }
      var next = start
      while let found = memchr(next, Int32(word.utf8Start.pointee), start + count - next).map({ UnsafeRawPointer($0) }),
        start + count - found >= length
      {
        if memcmp(found, word.utf8Start, length) == 0 { return true }
        next = found + 1
      }
      return false
    }
  }
}
