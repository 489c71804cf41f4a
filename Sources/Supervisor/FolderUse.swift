import CLinux
import Glibc
import UnixSocket

/// Checks a folder's limits. Open files without a name are not counted.
struct FolderUse {
  let byteLimit: Int64
  let entryLimit: Int

  /// The limit if less than a twentieth of the disk is free.
  static let scarceBytes: Int64 = 4 << 20

  /// - Returns: A message about the excess; nil if there is none, or none that can be found now.
  func excess(in path: String) -> String? {
    let top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard top >= 0 else { return nil }
    defer { close(top) }
    let allowed = isScarce(top) ? min(byteLimit, Self.scarceBytes) : byteLimit
    var bytes: Int64 = 0
    var entries = 0
    // As bytes, because names need not be text.
    var folders = [Array(".".utf8CString)]
    while let folder = folders.popLast() {
      // The child may replace a folder by a link at any time: follows no links and enters no
      // mounts.
      let number = clinux_openat2(
        top, folder, UInt64(O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0,
        clinux_resolve_beneath | clinux_resolve_no_symlinks | clinux_resolve_no_xdev)
      guard number >= 0 else {
        guard Self.isHidden(-number) else { continue }
        return "It has a folder in its own one (TMPDIR) that cannot be read"
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

  /// Whether the error shows that the child made the folder unreadable. Other errors may mean that
  /// it was deleted, or that this process lacks descriptors.
  private static func isHidden(_ cause: Int32) -> Bool { cause == EACCES || cause == ENAMETOOLONG }

  private func isScarce(_ folder: Int32) -> Bool {
    var disk = statvfs()
    guard fstatvfs(folder, &disk) == 0 else { return false }
    return disk.f_bavail < disk.f_blocks / 20
  }
}
