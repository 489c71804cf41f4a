import Glibc

/// Facts about the tree below a folder that decide how it is opened for the broker.
struct FolderTree {
  /// Whether anything in it has an access control list.
  private(set) var hasLists = false
  /// Folders of other users that the broker's user may write to.
  private(set) var writable: [String] = []
  /// Files and folders of the broker's user, without the contents of such folders.
  private(set) var usersOwn: [String] = []

  var hasUsersOwn: Bool { !usersOwn.isEmpty }

  init() {}

  /// - Throws: `notFound`, `notPermitted` if the folder itself cannot be read. Unreadable folders
  ///   in it are skipped.
  init(of folder: String, for user: UInt32, in groups: [UInt32]) throws(CommandError) {
    var rest = [folder]
    while let path = rest.popLast() {
      guard let list = path == folder ? try AccessList(of: path) : try? AccessList(of: path, followsLink: false) else {
        continue
      }
      if list.owner == user {
        usersOwn.append(path)
        continue
      }
      if list.hasEntries { hasLists = true }
      guard list.isFolder else { continue }
      if list.lets(user, in: groups, AccessList.write) { writable.append(path) }
      rest += Self.names(in: path).map { "\(path)/\($0)" }
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
