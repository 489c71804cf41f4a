import CLinux
import Glibc

/// A folder that one child has for itself, for what it has to put down while it lives; it goes when the child has ended.
package struct ScratchFolder: Sendable {
  package let path: String

  private static let prefix = "photobroker-plugin."

  /// - Parameter parent: Made where it is not there, for this user alone.
  /// - Throws: `startFailed`.
  init(in parent: String) throws(SupervisorError) {
    _ = mkdir(parent, 0o700)
    var name = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw .startFailed("making a folder for it", cause: errno) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What somebody is still writing there stays, for ``clear(_:)``.
  func remove() { _ = clinux_remove_tree(path) }

  /// Takes away what an earlier run of this program left; before any child has a folder there.
  package static func clear(_ parent: String) {
    guard let folder = opendir(parent) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasPrefix(prefix) { _ = clinux_remove_tree("\(parent)/\(name)") }
    }
  }
}
