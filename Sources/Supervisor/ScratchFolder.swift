import CLinux
import Glibc
import Monitor
import UnixSocket

/// A child's temporary folder, removed when the child has ended.
package struct ScratchFolder: Sendable {
  package let path: String
  private let limits: FolderUse
  let pause: Duration

  private static let prefix = "photobroker-plugin."

  /// Makes it, and its parent if that is missing, for this user alone.
  /// - Throws: `startFailed`.
  init(_ options: ChildOptions.Scratch) throws(SupervisorError) {
    limits = FolderUse(byteLimit: options.bytes, entryLimit: options.entries)
    pause = options.pause
    _ = mkdir(options.parent, 0o700)
    var name = Array("\(options.parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw .startFailed("making a folder for it", cause: errno) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the folder; files still being written stay for ``clear(_:)``.
  func remove() { _ = clinux_remove_tree(path) }

  /// A message about the excess; nil if there is none.
  func excess() -> String? { limits.excess(in: path) }

  /// Removes folders of an earlier process in the background. Call it before any child has a folder
  /// there.
  package static func clear(_ parent: String) {
    let found = (FolderListing.names(in: parent) ?? []).filter { $0.hasPrefix(prefix) }
    guard !found.isEmpty else { return }
    // Without a thread they stay for the next start.
    _ = DetachedThread.start { for name in found { _ = clinux_remove_tree("\(parent)/\(name)") } }
  }
}
