import Delivery
import Foundation
import Glibc
import Testing

@Suite(.enabled(if: geteuid() == 0, "other users' folders need root"))
struct PathVisibilityTests {
  private static let (user, other) = (54_321 as UInt32, 54_322 as UInt32)

  /// Makes three folders below one that everybody may search: the user's, another user's private
  /// one, and root's with one inside.
  private func tree() throws -> Folder {
    let folder = try Folder()
    chmod(folder.path, 0o711)
    for (name, owner) in [
      ("own", Self.user), ("own/photos", Self.user), ("private", Self.other), ("private/photos", Self.other),
      ("private/given", Self.user),
      ("shared", 0), ("shared/private", Self.other),
    ] {
      try folder.makeFolder(name)
      chmod("\(folder.path)/\(name)", 0o700)
      chown("\(folder.path)/\(name)", owner, owner)
    }
    try folder.write([1], to: "own/file")
    chown("\(folder.path)/own/file", Self.user, Self.user)
    try folder.write([1], to: "private/file")
    chown("\(folder.path)/private/file", Self.other, Self.other)
    try folder.write([1], to: "private/configuration")
    symlink("\(folder.path)/private/photos", "\(folder.path)/own/into")
    symlink("\(folder.path)/private/nothing", "\(folder.path)/own/astray")
    symlink("photos", "\(folder.path)/own/within")
    symlink("\(folder.path)/own", "\(folder.path)/private/link")
    return folder
  }

  @Test(arguments: [
    "own", "own/photos", "own/file", "own/file/x", "own/nothing", "own/within", "own/within/../nothing", "private",
    "nothing",
  ])
  func `R126 a user's own folders and public ones are shown`(path: String) throws {
    let folder = try tree()
    #expect(PathVisibility(of: Self.user).includes("\(folder.path)/\(path)"))
  }

  @Test(arguments: [
    "private/photos", "private/file", "private/nothing", "private/nothing/x", "private/link", "private/link/photos",
    "private/photos/../../own/photos", "private/nothing/../../own/photos", "own/../private/photos", "own/into",
    "own/into/x", "own/astray",
    "shared/nothing", "private/photos\u{0}", "private/\u{301}x",
  ])
  func `R126 beyond a folder closed to the user everything looks alike`(path: String) throws {
    let folder = try tree()
    #expect(!PathVisibility(of: Self.user).includes("\(folder.path)/\(path)"))
    #expect(!PathVisibility(of: Self.user).includes("/proc/self/root\(folder.path)/own/photos"))
  }

  @Test func `R126 a user's files are visible wherever they lie, and an open folder is open`() throws {
    let folder = try tree()
    #expect(PathVisibility(of: Self.user).includes("\(folder.path)/private/given"))
    #expect(PathVisibility(of: Self.user).includes("\(folder.path)/private/configuration"), "of the broker's user")
    let opened = PathVisibility(of: Self.user, openFolders: ["\(folder.path)/shared", "/nothing"])
    #expect(opened.includes("\(folder.path)/shared/nothing"))
    #expect(!opened.includes("\(folder.path)/shared/private/nothing"))
    #expect(!opened.includes("\(folder.path)/private/nothing"))
    #expect(!opened.includes("\(folder.path)/shared/../private/nothing"))
  }
}
