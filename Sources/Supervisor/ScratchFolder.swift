import CLinux
import Glibc
import Monitor

/// A folder that one child has for itself, for what it has to put down while it lives; it goes when
/// the child has ended.
package struct ScratchFolder: Sendable {
  package let path: String
  private let limits: FolderUse
  let pause: Duration

  private static let prefix = "photobroker-plugin."

  /// - Parameters:
  ///   - parent: Made where it is not there, for this user alone.
  ///   - options: What may lie there, and how often that is looked at.
  /// - Throws: `startFailed`.
  init(in parent: String, _ options: ChildOptions) throws(SupervisorError) {
    limits = FolderUse(byteLimit: options.scratchBytes, entryLimit: options.scratchEntries)
    pause = options.scratchPause
    _ = mkdir(parent, 0o700)
    var name = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw .startFailed("making a folder for it", cause: errno) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What somebody is still writing there stays, for ``clear(_:)``.
  func remove() { _ = clinux_remove_tree(path) }

  /// What is more there than may be, in words for a person; nil: nothing.
  func excess() -> String? { limits.excess(in: path) }

  /// Takes away what an earlier run of this program left, on a thread of its own; before any child has a folder there.
  package static func clear(_ parent: String) {
    guard let folder = opendir(parent) else { return }
    defer { closedir(folder) }
    var left: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasPrefix(prefix) { left.append("\(parent)/\(name)") }
    }
    let found = left
    guard !found.isEmpty else { return }
    // Where there is no thread it stays for the next start.
    _ = DetachedThread.start { for path in found { _ = clinux_remove_tree(path) } }
  }
}
