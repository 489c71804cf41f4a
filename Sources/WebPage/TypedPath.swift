import Glibc

/// Paths as a person types them, looked up with the rights of the page's server: that person's.
enum TypedPath {
  /// An existing path as an absolute one without symbolic links, as `photobroker library add` passes
  /// it on.
  ///
  /// - Throws: `badRequest` for a relative path, `notFound`, `closed`.
  static func resolve(_ text: String, isFolder: Bool) throws(PageError) -> String {
    let path = text == "~" || text.hasPrefix("~/") ? home + text.dropFirst() : text
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw PageError(.badRequest, "path takes an absolute path, such as /home/anna/Pictures or ~/Pictures.")
    }
    var facts = stat()
    guard let found = realpath(path, nil) else { throw failure(errno, isFolder) }
    defer { free(found) }
    guard stat(found, &facts) == 0 else { throw failure(errno, isFolder) }
    guard facts.st_mode & S_IFMT == (isFolder ? S_IFDIR : S_IFREG) else { throw failure(ENOENT, isFolder) }
    guard access(found, isFolder ? R_OK | X_OK : R_OK) == 0 else { throw failure(errno, isFolder) }
    return String(cString: found)
  }

  private static func failure(_ error: Int32, _ isFolder: Bool) -> PageError {
    let what = isFolder ? "folder" : "file"
    return error == EACCES || error == EPERM
      ? PageError(.closed, "The \(what) is closed to you. Have its owner open it, or choose another one.")
      : PageError(.notFound, "There is no such \(what) on this machine. Check the path.")
  }

  /// The person's folder of pictures: the desktop's, else Pictures in the home folder; nil if there
  /// is none.
  static var pictures: String? {
    let candidates = [environment("XDG_PICTURES_DIR"), desktopPictures, home + "/Pictures"].compactMap { $0 }
    // Desktops name the home folder itself to say that there is none for pictures.
    let none = try? resolve(home, isFolder: true)
    return candidates.compactMap { try? resolve($0, isFolder: true) }.first { $0 != none }
  }

  /// The folder in the file of xdg-user-dirs, which desktops write in the person's language.
  private static var desktopPictures: String? {
    let folder = environment("XDG_CONFIG_HOME") ?? home + "/.config"
    let number = open(folder + "/user-dirs.dirs", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else { return nil }
    defer { close(number) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      count = max(0, read(number, buffer.baseAddress, buffer.count))
    }
    let start = "XDG_PICTURES_DIR=\""
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").last { $0.hasPrefix(start) }
    guard let value = line?.dropFirst(start.count).split(separator: "\"").first else { return nil }
    return value.hasPrefix("$HOME/") ? home + value.dropFirst("$HOME".count) : String(value)
  }

  private static let home =
    environment("HOME") ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
