import CLinux
import Glibc
import UnixSocket

/// Tells which paths a user could look up without the broker. The broker's user may see more than
/// they do. So an answer about a path through another user's private folder must not reveal its
/// content.
package struct PathVisibility: Sendable {
  private let user: UInt32
  /// Folders that root opened to every user.
  private let open: [FileIdentity]

  /// The greatest number of symbolic links on one path, as in the kernel.
  private static let linkLimit = 40

  /// - Parameter openFolders: Absolute paths; a missing one is ignored.
  package init(of user: UInt32, openFolders: [String] = []) {
    self.user = user
    open = openFolders.compactMap { path in
      guard let folder = Self.place(path) else { return nil }
      return FileIdentity(of: folder.number)
    }
  }

  /// Whether the modes of all folders on the path let the user through, or the path leads to the
  /// user's own file. Blocks.
  ///
  /// Each step is opened relative to the folder before. Beyond a folder closed to the user, links
  /// and ".." are not followed.
  package func includes(_ path: String) -> Bool {
    // The links in /proc do not lead to the path that they show.
    let whole = clinux_openat2(AT_FDCWD, path, clinux_path_only, 0, clinux_resolve_no_magiclinks)
    if whole >= 0 { close(whole) } else if whole == -ELOOP { return false }
    guard var folder = Self.place("/") else { return false }
    var (names, links, isOpen, isClosed) = (Self.names(Array(path.utf8)), 0, false, false)
    while let name = names.popLast() {
      guard let facts = try? FileFacts(of: folder) else { return false }
      isOpen = isOpen || FileIdentity(of: folder.number).map(open.contains) ?? false
      isClosed = isClosed || !maySearch(facts, isOpen)
      if name == ".." {
        if isClosed { return false }
        isOpen = false
      }
      guard let next = Self.place(name, in: folder.number, clinux_path_only | UInt64(O_NOFOLLOW)) else {
        return !isClosed
      }
      let target = Self.target(of: next)
      guard !target.isEmpty else {
        folder = next
        continue
      }
      links += 1
      guard !isClosed, links <= Self.linkLimit, String(validating: target, as: UTF8.self) != nil else { return false }
      names += Self.names(target)
      guard target[0] == UInt8(ascii: "/") else { continue }
      guard let top = Self.place("/") else { return false }
      folder = top
      isOpen = false
    }
    // Files of the broker's own user, such as a remote's configuration, may be used.
    return !isClosed || (try? FileFacts(of: folder)).map { [user, geteuid()].contains($0.uid) } ?? false
  }

  private func maySearch(_ folder: FileFacts, _ isOpen: Bool) -> Bool {
    folder.uid == user || folder.mode & S_IXOTH != 0 || (isOpen && [0, geteuid()].contains(folder.uid))
  }

  /// In reverse order.
  private static func names(_ path: [UInt8]) -> [String] {
    path.prefix { $0 != 0 }.split(separator: UInt8(ascii: "/")).reversed().map { String(decoding: $0, as: UTF8.self) }
  }

  private static func place(_ path: String, in folder: Int32 = AT_FDCWD, _ flags: UInt64 = clinux_path_only)
    -> FileDescriptor?
  {
    let number = clinux_openat2(folder, path, flags, 0, 0)
    return number >= 0 ? FileDescriptor(owning: number) : nil
  }

  /// The target of a symbolic link; empty for other files.
  private static func target(of place: borrowing FileDescriptor) -> [UInt8] {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(place.number, "", &text, text.count)
    return text.prefix(max(0, count)).map(UInt8.init(bitPattern:))
  }
}
