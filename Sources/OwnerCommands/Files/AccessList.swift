import CLinux
import Glibc

/// The rights that a file's mode and access control list give to users.
struct AccessList {
  /// Rights, with the numbers of the mode's bits. `pass` is the search permission of a folder.
  static let read: UInt16 = 4
  static let write: UInt16 = 2
  static let pass: UInt16 = 1

  private let facts: stat
  private let entries: [(tag: UInt16, rights: UInt16, id: UInt32)]

  /// Whether the file or its default list has entries beyond the mode.
  let hasEntries: Bool
  /// Whether the file system has access control lists.
  let isSupported: Bool

  /// - Throws: `notFound`, `notPermitted`.
  init(of path: String, followsLink: Bool = true) throws(CommandError) {
    var facts = stat()
    guard fstatat(AT_FDCWD, path, &facts, followsLink ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { throw .file(path, errno) }
    self.facts = facts
    // A symbolic link has no list of its own, and its target is not looked up.
    let isLink = facts.st_mode & S_IFMT == S_IFLNK
    let found = isLink ? [] : Self.entries(of: path)
    entries = found ?? []
    isSupported = found != nil
    hasEntries = !entries.isEmpty || (!isLink && clinux_has_default_access_list(path) != 0)
  }

  /// Whether the mask keeps rights from others than this user. Another entry would lift it for them.
  func masksOthers(than user: UInt32) -> Bool {
    guard let mask = entries.first(where: { $0.tag == Self.maskTag })?.rights else { return false }
    let masked = [Self.userTag, Self.owningGroupTag, Self.groupTag]
    return entries.contains {
      masked.contains($0.tag) && $0.rights & ~mask != 0 && ($0.tag, $0.id) != (Self.userTag, user)
    }
  }

  var owner: uid_t { facts.st_uid }
  var isFolder: Bool { facts.st_mode & S_IFMT == S_IFDIR }
  var isLink: Bool { facts.st_mode & S_IFMT == S_IFLNK }
  var group: gid_t { facts.st_gid }

  /// Whether a user in these groups has all of `rights`. As in the kernel, a single entry must hold
  /// all of them.
  func lets(_ user: UInt32, in groups: [UInt32] = [], _ rights: UInt16) -> Bool {
    user == 0 || allowing(user, groups).contains { $0 & rights == rights }
  }

  /// The union of the rights that the user has by any entry.
  func rights(of user: UInt32, in groups: [UInt32] = []) -> UInt16 { allowing(user, groups).reduce(0, |) }

  /// The rights of each entry that applies: the user's own entry, else those of their groups, else
  /// everybody's. Source: acl(5).
  private func allowing(_ user: UInt32, _ groups: [UInt32]) -> [UInt16] {
    let mode = UInt16(truncatingIfNeeded: facts.st_mode)
    if user == facts.st_uid { return [mode >> 6 & 7] }
    let mask = entries.first { $0.tag == Self.maskTag }?.rights ?? 7
    if let entry = entries.first(where: { $0.tag == Self.userTag && $0.id == user }) { return [entry.rights & mask] }
    // If there is a mask, the mode's group bits are the mask.
    let owning = entries.first { $0.tag == Self.owningGroupTag }?.rights ?? mode >> 3 & 7
    let found =
      (groups.contains(facts.st_gid) ? [owning & mask] : [])
      + entries.filter { $0.tag == Self.groupTag && groups.contains($0.id) }.map { $0.rights & mask }
    return found.isEmpty ? [mode & 7] : found
  }

  private static let userTag: UInt16 = 0x02
  private static let owningGroupTag: UInt16 = 0x04
  private static let groupTag: UInt16 = 0x08
  private static let maskTag: UInt16 = 0x10

  /// Rights in the notation of setfacl.
  static func text(_ rights: UInt16) -> String {
    [(read, "r"), (write, "w"), (pass, "x")].map { rights & $0 == $0 ? $1 : "" }.joined()
  }

  /// Decodes the extended attribute: a version of four bytes, then entries of tag, rights and id,
  /// little endian. Nil if the file system has no lists. Source: linux/posix_acl_xattr.h.
  private static func entries(of path: String) -> [(tag: UInt16, rights: UInt16, id: UInt32)]? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let length = Int(clinux_access_list(path, &bytes, bytes.count))
    guard length != -Int(EOPNOTSUPP) else { return nil }
    guard length >= 4 else { return [] }
    return stride(from: 4, to: length - 7, by: 8).map { offset in
      let pieces = bytes[offset..<offset + 8].map { UInt32($0) }
      return (
        UInt16(pieces[0] | pieces[1] << 8), UInt16(pieces[2] | pieces[3] << 8),
        pieces[4] | pieces[5] << 8 | pieces[6] << 16 | pieces[7] << 24
      )
    }
  }
}
