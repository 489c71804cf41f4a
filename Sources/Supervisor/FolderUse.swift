import CLinux
import Glibc
import UnixSocket

/// Whether more lies in a folder than may. What is open and has no name any more is not seen.
struct FolderUse {
  let byteLimit: Int64
  let entryLimit: Int

  /// Where less than a twentieth of the disk is left.
  static let scarceBytes: Int64 = 4 << 20

  /// - Returns: What is wrong, in words for a person; nil: nothing, or nothing that can be found out now.
  func excess(in path: String) -> String? {
    let top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard top >= 0 else { return nil }
    defer { close(top) }
    let allowed = isScarce(top) ? min(byteLimit, Self.scarceBytes) : byteLimit
    var bytes: Int64 = 0
    var entries = 0
    // As bytes: names need not be text.
    var folders = [Array(".".utf8CString)]
    while let folder = folders.popLast() {
      // Whoever fills it may put a link in a folder's place at any time: none is followed, and
      // nothing that is mounted there is waited for.
      let number = clinux_openat2(
        top, folder, UInt64(O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0,
        clinux_resolve_beneath | clinux_resolve_no_symlinks | clinux_resolve_no_xdev)
      guard number >= 0 else {
        guard Self.isHidden(-number) else { continue }
        return "It has a folder in its own one (TMPDIR) that cannot be looked into"
      }
      guard let stream = fdopendir(number) else {
        close(number)
        continue
      }
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          $0.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
        }
        guard name != Self.itself, name != Self.parent else { continue }
        var facts = stat()
        guard fstatat(number, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
        entries += 1
        bytes += Int64(facts.st_blocks) * 512
        guard entries <= entryLimit else { return "It has more than \(entryLimit) files in its own folder (TMPDIR)" }
        guard bytes <= allowed else { return "It has more than \(allowed >> 20) MiB in its own folder (TMPDIR)" }
        if facts.st_mode & S_IFMT == S_IFDIR { folders.append(folder.dropLast() + Self.slash + name) }
      }
    }
    return nil
  }

  private static let itself = Array(".".utf8CString)
  private static let parent = Array("..".utf8CString)
  private static let slash = [CChar(bitPattern: UInt8(ascii: "/"))]

  /// Whether it is the folder's doing that it cannot be opened: it may just have gone, or this
  /// process be short of descriptors.
  private static func isHidden(_ cause: Int32) -> Bool { cause == EACCES || cause == ENAMETOOLONG }

  private func isScarce(_ folder: Int32) -> Bool {
    var disk = statvfs()
    guard fstatvfs(folder, &disk) == 0 else { return false }
    return disk.f_bavail < disk.f_blocks / 20
  }
}
