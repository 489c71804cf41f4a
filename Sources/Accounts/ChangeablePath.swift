import Glibc

/// A file, or a folder above it, that others than root and the file's owner can change: they could
/// replace a program that a person did not look at.
package struct ChangeablePath {
  package let place: String
  /// The file's owner.
  package let owner: UInt32
  /// The `errno` of a place that could not be examined; 0 if others can change it.
  package let error: Int32

  /// Nil if nobody else can change the file.
  /// - Parameter path: Absolute, without symbolic links.
  package init?(on path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      (place, owner, error) = (path, 0, errno)
      return
    }
    let owner = facts.st_uid
    var place = path
    while place != "/" {
      let isKnown = lstat(place, &facts) == 0
      let isSticky = facts.st_mode & S_IFMT == S_IFDIR && facts.st_mode & S_ISVTX != 0
      let isOpen = facts.st_mode & S_IWOTH != 0 || facts.st_mode & S_IWGRP != 0 && facts.st_gid != 0
      guard isKnown, isSticky || !isOpen, facts.st_uid == 0 || facts.st_uid == owner else {
        (self.place, self.owner, error) = (place, owner, isKnown ? 0 : errno)
        return
      }
      // By bytes: a combining character after a slash makes one character with it.
      let slash = place.utf8.lastIndex(of: UInt8(ascii: "/")) ?? place.startIndex
      place = slash == place.startIndex ? "/" : String(decoding: place.utf8[..<slash], as: UTF8.self)
    }
    return nil
  }
}
