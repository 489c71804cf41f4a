import Glibc
import UnixSocket

/// Keeps throw-away and real state apart. A file in the state's folder marks a sandbox's: a sandbox
/// serves no folder without it, and no other broker one with it.
enum SandboxMark {
  private static let name = "sandbox"

  /// - Throws: `ServerError` if the state's folder belongs to the other kind of broker.
  static func check(_ directory: String, isSandbox: Bool) throws {
    let mark = directory + "/" + name
    let isMarked = access(mark, F_OK) == 0
    if !isSandbox {
      guard !isMarked else {
        throw ServerError("this state belongs to a sandbox, whose keys are predictable; give another --state folder")
      }
      return
    }
    if isMarked { return }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST, try isEmpty(directory) else {
      throw ServerError(
        "--sandbox needs an empty state folder, or one of an earlier sandbox; give another --state folder")
    }
    let file = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw ServerError("the sandbox's folder cannot be written: \(String(cString: strerror(errno)))")
    }
    close(file)
  }

  private static func isEmpty(_ directory: String) throws -> Bool {
    guard let names = FolderListing.names(in: directory) else {
      throw ServerError("the state's folder cannot be read: \(String(cString: strerror(errno)))")
    }
    return names.isEmpty
  }
}
