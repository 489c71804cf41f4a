import Delivery
import Foundation
import Glibc
import Testing
import UnixSocket

struct LibraryRootTests {
  @Test func `a regular file opens with its facts, wherever below the root it lies`() throws {
    let folder = try Folder()
    try folder.makeFolder("2024/summer")
    try folder.write(pattern(1000), to: "2024/summer/a.jpg")
    let file = try folder.root().open("2024/summer/a.jpg")
    #expect(file.facts.byteCount == 1000)
    #expect(file.facts.uid == getuid())
    #expect(file.facts.links == 1)
    #expect(file.facts.inode != 0)
  }

  @Test(arguments: ["", "/etc/passwd", "..", "a/../../etc/passwd", "../x", "a/..", "a\0b"])
  func `a path that could climb is refused before the kernel sees it`(path: String) throws {
    let root = try Folder().root()
    #expect(code { _ = try root.open(path) } == .invalidPath)
  }

  @Test func `everything except plain files of the owner is refused by its kind`() throws {
    let folder = try Folder()
    try folder.write([1], to: "file")
    try folder.makeFolder("folder")
    symlink("/etc/passwd", "\(folder.path)/absolute")
    symlink("file", "\(folder.path)/relative")
    symlink("folder", "\(folder.path)/way")
    try folder.write([1], to: "folder/inner")
    try folder.write([1], to: "twice")
    link("\(folder.path)/twice", "\(folder.path)/again")
    mkfifo("\(folder.path)/pipe", 0o644)
    let root = try folder.root()
    #expect(code { _ = try root.open("file") } == nil)
    #expect(code { _ = try root.open("folder") } == .directoryRefused)
    #expect(code { _ = try root.open("absolute") } == .symbolicLink)
    #expect(code { _ = try root.open("relative") } == .symbolicLink)
    #expect(code { _ = try root.open("way/inner") } == .symbolicLink)
    #expect(code { _ = try root.open("twice") } == .hardLinked)
    #expect(code { _ = try root.open("pipe") } == .pipeRefused)
    #expect(code { _ = try root.open("nothing") } == .notFound)
    #expect(code { _ = try folder.root(owners: [getuid() + 1]).open("file") } == .foreignOwner)
    #expect(code { _ = try LibraryRoot(path: "/dev", owners: [0]).open("null") } == .deviceRefused)
  }

  @Test func `refused files are reported without being read`() throws {
    let folder = try Folder()
    for name in ["file", "closed", "twice", "foreign"] { try folder.write([1], to: name) }
    try folder.makeFolder("folder")
    link("\(folder.path)/twice", "\(folder.path)/folder/again")
    symlink("file", "\(folder.path)/link")
    chmod("\(folder.path)/closed", 0)
    let isRoot = geteuid() == 0
    if isRoot { chown("\(folder.path)/foreign", 54_322, 54_322) }
    let root = try folder.root()
    let paths = ["file", "twice", "closed", "nothing", "link", "folder", "folder/again", "../file", "foreign"]
    let found = try FileSystemUser.run(as: 54_321) { try root.refused(paths) }
    #expect(found.map(\.locator) == ["twice", "closed", "folder/again"] + (isRoot ? ["foreign"] : []))
    #expect(found.map(\.error.code) == [.hardLinked, .permissionDenied, .hardLinked] + (isRoot ? [.foreignOwner] : []))
    for (path, error) in found {
      #expect(code { try FileSystemUser.run(as: 54_321) { _ = try root.open(path) } } == error.code)
    }
    chmod("\(folder.path)/closed", 0o644)
    unlink("\(folder.path)/folder/again")
    #expect(try FileSystemUser.run(as: 54_321) { try root.refused(["closed", "twice"]) }.isEmpty)
    rename(folder.path, folder.path + "-away")
    #expect(code { _ = try root.refused(["file"]) } == .unreachable)
    rename(folder.path + "-away", folder.path)
  }

  @Test func `a root names its folder and the folders around it`() throws {
    let folder = try Folder()
    try folder.makeFolder("one/two")
    symlink("one/two", "\(folder.path)/link")
    let (outer, inner) = (try folder.root(), try LibraryRoot(path: "\(folder.path)/link", owners: [getuid()]))
    #expect(
      inner.lineage.count == outer.lineage.count + 2 && inner.lineage.suffix(outer.lineage.count) == outer.lineage[...])
    #expect(Set(inner.lineage).count == inner.lineage.count)
  }

  @Test func `a root related to a closed folder reports it, and nothing of a closed folder opens`() throws {
    let folder = try Folder()
    try folder.makeFolder("photos/deep")
    try folder.makeFolder("state/keys")
    try folder.write([1], to: "photos/a")
    try folder.write([1], to: "state/keys/key")
    symlink("state/keys", "\(folder.path)/link")
    let closed = ["\(folder.path)/state", "\(folder.path)/nowhere"]
    func root(_ path: String) throws -> LibraryRoot { try LibraryRoot(path: path, owners: [getuid()], closed: closed) }
    for path in ["/state", "/state/keys", "", "/link", "/photos/../state"] {
      #expect(try !root(folder.path + path).isApart, "\(path)")
    }
    #expect(try !root("/").isApart)
    let photos = try root(folder.path + "/photos")
    #expect(photos.isApart && code { _ = try photos.open("a") } == nil)
    let above = try root(folder.path)
    #expect(code { _ = try above.open("photos/a") } == nil)
    #expect(code { _ = try above.open("state/keys/key") } == .outsideRoot)
    // The folder moves into the root after the root was opened.
    rename(folder.path + "/state", folder.path + "/photos/deep/s")
    #expect(code { _ = try photos.open("deep/s/keys/key") } == .outsideRoot)
  }

  @Test
  func
    `R126 the broker's files in a user's folder, or in one for files saved for that user, are the user's`()
    throws
  {
    guard geteuid() == 0 else { return }
    let (alice, bob, broker): (UInt32, UInt32, UInt32) = (54_331, 54_332, 54_333)
    let folder = try Folder()
    for (path, owner) in [
      ("alice", alice), ("alice/saved", broker), ("alice/bob", bob), ("alice/bob/saved", broker),
      ("alice/bob/alice", alice),
      ("common", broker), ("common/user-\(alice)", broker), ("common/user-\(alice)/1", broker),
      ("common/user-\(bob)", broker),
      ("common/user-\(bob)/user-\(alice)", broker), ("alice/user-\(bob)", alice), ("root", 0), ("root/saved", broker),
      ("alice/root", 0), ("alice/root/saved", broker),
    ] {
      try folder.makeFolder(path)
      chown("\(folder.path)/\(path)", owner, owner)
    }
    func write(_ path: String) throws -> String {
      try folder.write([1], to: path + "/file")
      chown("\(folder.path)/\(path)/file", broker, broker)
      return path + "/file"
    }
    func isServed(_ path: String, to user: UInt32, from root: String = ".") throws -> Bool {
      let root = try LibraryRoot(
        path: folder.path + "/" + root, owners: [user, broker], saved: SavedFiles(of: user, by: broker))
      let refusal = code { _ = try root.open(path) }
      #expect(refusal == nil || refusal == .foreignOwner || refusal == .outsideRoot)
      #expect(try root.refused([path]).map(\.error.code) == (refusal == .foreignOwner ? [.foreignOwner] : []))
      return refusal == nil
    }
    for path in [
      "alice", "alice/saved", "alice/root/saved", "alice/bob/alice", "alice/user-\(bob)", "common/user-\(alice)",
      "common/user-\(alice)/1",
      "common/user-\(bob)/user-\(alice)",
    ] {
      let file = try write(path)
      #expect(try isServed(file, to: alice), "\(path)")
      #expect(try !isServed(file, to: bob), "\(path)")
    }
    for path in ["alice/bob", "alice/bob/saved", ".", "common", "root", "root/saved"] {
      #expect(try !isServed(write(path), to: alice), "\(path)")
    }
    // Parent folders count too. A root inside nobody's folder is open to any listed user.
    for (root, users) in [
      ("common/user-\(bob)", [bob]), ("alice/bob/saved", [bob]), ("root/saved", [alice, bob]), ("root", []),
    ] {
      _ = try write(root)
      for user in [alice, bob] {
        #expect(try isServed("file", to: user, from: root) == users.contains(user), "\(root) \(user)")
      }
    }
  }

  @Test func `another file system below the root is entered only by option`() throws {
    // /proc is mounted below / on every Linux.
    #expect(code { _ = try LibraryRoot(path: "/", owners: [0]).open("proc/version") } == .outsideRoot)
    #expect(code { _ = try LibraryRoot(path: "/", owners: [0], crossesMounts: true).open("proc/version") } == nil)
  }

  @Test func `another folder in the root's place is not the root, and the returned root is recognized`()
    throws
  {
    let outer = try Folder()
    try outer.makeFolder("library")
    try outer.write([7], to: "library/a")
    let path = outer.path + "/library"
    let root = try LibraryRoot(path: path, owners: [getuid()])
    rename(path, outer.path + "/moved")
    #expect(code { _ = try root.open("a") } == .unreachable)
    try outer.makeFolder("library")
    try outer.write([8], to: "library/a")
    #expect(code { _ = try root.open("a") } == .unreachable)
    rename(path, outer.path + "/other")
    symlink(outer.path + "/other", path)
    #expect(code { _ = try root.open("a") } == .unreachable)
    unlink(path)
    rename(outer.path + "/moved", path)
    #expect(code { _ = try root.open("a") } == nil)
  }

  @Test func `an idle root holds no descriptor`() throws {
    let folder = try Folder()
    try folder.write([7], to: "a")
    let root = try folder.root()
    _ = try root.open("a")
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(!open.contains { $0.hasPrefix(folder.path) })
    #expect(open.count > 3)
    #expect(code { _ = try root.open("a") } == nil)
  }

  @Test func `a path cached by the kernel opens without waiting, and an unknown one does not`() throws {
    let folder = try Folder()
    try folder.write([1], to: "a")
    let root = try folder.root()
    _ = try root.open("a")
    #expect(code { _ = try root.open("a", cachedOnly: true) } == nil)
    #expect(code { _ = try root.open("never-asked-for", cachedOnly: true) } == .notCached)
    #expect(code { _ = try root.open("never-asked-for") } == .notFound)
  }

  @Test func `an error names neither path nor file`() throws {
    let folder = try Folder()
    try folder.makeFolder("canary-folder")
    let root = try folder.root()
    for path in ["canary-folder", "canary-missing", "canary/../x"] {
      do {
        _ = try root.open(path)
        Issue.record("it opened")
      } catch {
        #expect(!"\(error)\(error.message)".contains("canary"))
        #expect(!"\(error)".contains(folder.path))
      }
    }
  }

  @Test(arguments: [("photo", "link", "photo"), ("day", "way", "day/photo")])
  func `a racer exchanging a file or folder with a symbolic link never gets the other file served`(
    inside: String, link: String, opened: String
  ) throws {
    let folder = try Folder()
    let outside = try Folder()
    try outside.write(Array("SECRET".utf8), to: "photo")
    if inside == "day" { try folder.makeFolder("day") }
    try folder.write(Array("inside".utf8), to: opened)
    symlink(inside == "day" ? outside.path : outside.path + "/photo", "\(folder.path)/\(link)")
    let root = try folder.root()
    let racer = Repeater { [path = folder.path] in Exchange.swap("\(path)/\(inside)", "\(path)/\(link)") }
    defer { racer.stop() }
    var served = 0
    var refused = 0
    let end = ContinuousClock.now + .seconds(1)
    while ContinuousClock.now < end, served < 5000 || refused < 50 {
      do {
        let file = try root.open(opened)
        var bytes = [UInt8](repeating: 0, count: 6)
        let count = pread(file.descriptor.number, &bytes, 6, 0)
        #expect(count == 6 && bytes == Array("inside".utf8))
        served += 1
      } catch {
        #expect([.symbolicLink, .notFound, .changedWhileReading].contains(error.code))
        refused += 1
      }
    }
    // Both outcomes prove that the race took place.
    #expect(served > 0)
    #expect(refused > 0)
  }
}
