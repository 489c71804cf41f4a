import Glibc

/// What lies below a folder, as far as opening it for the broker must know.
struct FolderTree {
  /// Whether something there has an access control list.
  private(set) var hasLists = false
  /// Folders of others' that the user may write to.
  private(set) var writable: [String] = []
  /// What belongs to the user, but for what lies in folders that do.
  private(set) var usersOwn: [String] = []

  var hasUsersOwn: Bool { !usersOwn.isEmpty }

  init() {}

  /// - Throws: `notFound`, `notPermitted` where the folder itself cannot be looked at; what is in
  ///   it and cannot be is left out.
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
