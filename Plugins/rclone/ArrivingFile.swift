import Glibc
import PluginKit

/// A folder of this machine with one file that is not in it: a link to standard input, by which
/// rclone reads what it uploads and learns the name that it has there. It goes with this object.
final class ArrivingFile {
  let folder: String
  private let link: String

  /// - Parameter parent: Where this process may make files; nil: where everybody may.
  /// - Throws: `offline`.
  init(_ name: String, in parent: String?) throws(PluginError) {
    var made = Array("\(parent ?? "/tmp")/rclone-XXXXXX".utf8CString)
    guard mkdtemp(&made) != nil else { throw Self.noRoom }
    folder = String(decoding: made.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    link = "\(folder)/\(name)"
    guard symlink("/proc/self/fd/0", link) == 0 else {
      rmdir(folder)
      throw Self.noRoom
    }
  }

  deinit {
    unlink(link)
    rmdir(folder)
  }

  private static let noRoom = PluginError(.offline, "There is no room for a link to what is added.")
}
