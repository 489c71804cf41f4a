import CLinux
import Glibc

/// What a file's mode and its access control list let a user do.
///
/// Groups are left out: which ones a service has cannot be told from outside, so the answer may be no where a group
/// would let it through, and never yes where nothing does.
struct AccessList {
  /// Read, and pass through.
  static let read: UInt16 = 4
  static let pass: UInt16 = 1

  private let facts: stat
  private let entries: [(tag: UInt16, rights: UInt16, id: UInt32)]

  /// - Throws: `notFound`, `notPermitted`.
  init(of path: String) throws(CommandError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw .file(path, errno) }
    self.facts = facts
    entries = Self.entries(of: path)
  }

  var owner: uid_t { facts.st_uid }
  var isFolder: Bool { facts.st_mode & S_IFMT == S_IFDIR }

  /// Whether the user has all of `rights`.
  func lets(_ user: UInt32, _ rights: UInt16) -> Bool {
    if user == 0 { return true }
    return allowed(user) & rights == rights
  }

  private func allowed(_ user: UInt32) -> UInt16 {
    let mode = UInt16(truncatingIfNeeded: facts.st_mode)
    if user == facts.st_uid { return mode >> 6 & 7 }
    if let entry = entries.first(where: { $0.tag == Self.userTag && $0.id == user }) {
      let mask = entries.first { $0.tag == Self.maskTag }?.rights ?? 7
      return entry.rights & mask
    }
    return mode & 7
  }

  private static let userTag: UInt16 = 0x02
  private static let maskTag: UInt16 = 0x10

  /// Source: linux/posix_acl_xattr.h: a version of four bytes, then entries of tag, rights and id, little endian.
  private static func entries(of path: String) -> [(tag: UInt16, rights: UInt16, id: UInt32)] {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let length = Int(clinux_access_list(path, &bytes, bytes.count))
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
