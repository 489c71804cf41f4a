import Glibc
import PluginKit

/// A folder with a link to standard input, named like the uploaded file. rclone reads the bytes
/// through the link and takes the name from it. The folder is deleted with this object.
final class ArrivingFile {
  let folder: String
  private let link: String

  /// - Parameter parent: a folder in which this process may create files; nil for /tmp.
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

  private static let noRoom = PluginError(
    .offline, "The temporary folder has no room for an added file. Free space in it.")
}
