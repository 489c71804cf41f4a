import UnixSocket

/// Facts about the tree below a folder that decide how it is opened for the broker.
struct FolderTree {
  /// Whether anything in it has an access control list.
  private(set) var hasLists = false
  /// Folders of other users that the broker's user may write to.
  private(set) var writable: [String] = []
  /// Files and folders of the broker's user, without the contents of such folders.
  private(set) var usersOwn: [String] = []
  /// Files and folders whose rights only somebody else may change, and folders that the caller
  /// cannot read: their number, and the first of them.
  private(set) var closed: (count: Int, first: String)?

  /// The first file or folder whose access list keeps rights from others by its mask.
  private(set) var masked: String?

  /// Whether every entry belongs to the caller.
  var isCallersOwn: Bool { usersOwn.isEmpty && closed == nil }

  init() {}

  /// - Throws: `notFound`, `notPermitted` if the folder itself cannot be read. Unreadable folders
  ///   in it are skipped.
  init(of folder: String, for user: UInt32, in groups: [UInt32], caller: UInt32) throws(CommandError) {
    var rest = [folder]
    while let path = rest.popLast() {
      guard let list = path == folder ? try AccessList(of: path) : try? AccessList(of: path, followsLink: false) else {
        continue
      }
      if list.owner == user {
        usersOwn.append(path)
        continue
      }
      let isForeign = caller != 0 && list.owner != caller
      if isForeign, !list.isLink { noteClosed(path) }
      if list.hasEntries { hasLists = true }
      if list.masksOthers(than: user) { masked = masked ?? path }
      guard list.isFolder else { continue }
      if !isForeign, list.lets(user, in: groups, AccessList.write) { writable.append(path) }
      if let names = FolderListing.names(in: path) {
        rest += names.map { "\(path)/\($0)" }
      } else if !isForeign {
        noteClosed(path)
      }
    }
  }

  /// - Throws: `badData` if opening it would let others in.
  func requireNoMask() throws(CommandError) {
    guard let masked else { return }
    throw .maskLifted(masked)
  }

  private mutating func noteClosed(_ path: String) { closed = ((closed?.count ?? 0) + 1, closed?.first ?? path) }
}

extension CommandError {
  static func maskLifted(_ path: String) -> Self {
    Self(
      .badData,
      "\(path) keeps others out by the mask of its access list, and an entry for the broker would lift that for them "
        + "too. Look with getfacl, remove their entries with setfacl -b, and repeat. Nothing was changed.")
  }
}
