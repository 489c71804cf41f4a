import CDirectoryStorage
import Foundation
import Glibc
import PhotoModel
import PluginKit
import Testing

@testable import DirectoryStorage

struct WalkTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test func `photos and videos of every kind are found, however deep`() throws {
    let deep = (0..<40).map { "folder \($0)" }.joined(separator: "/")
    let long = String(repeating: "ü", count: 98) + ".jpg"
    let names = [
      "a.JPG", "b.heic", "c.png", "d.webp", "e.avif", "f.tiff", "g.gif", "h.cr3", "i.mov", "j.webm", "m.jfif", "n.jpe",
      "o.qt", "京都/k.jpeg",
      "\(deep)/l.mts", long,
    ]
    for name in names { try folder.write(name) }
    try folder.write("notes.txt", ".hidden.jpg", ".hidden/m.jpg", "n.jpg.part")
    let (items, skipped) = try folder.storage().everything()
    #expect(Set(items.map(\.primary.locator)) == Set(names))
    #expect(skipped == 0)
    #expect(items.first { $0.primary.filename == "k.jpeg" }?.primary.locator == "京都/k.jpeg")
  }

  @Test func `R161 files with unknown names are found by their first bytes`() throws {
    let heads: [String: [UInt8]] = [
      "jpeg": [0xff, 0xd8, 0xff, 0xe0], "a.png_": [0x89] + Array("PNG\r\n\u{1a}\n".utf8), "a.tmp": Array("GIF89a".utf8),
      "lone.thm": [0xff, 0xd8, 0xff, 0xdb], "heic": [0, 0, 0, 24] + Array("ftypheic".utf8),
      "film.lrv": [0, 0, 0, 24] + Array("ftypmp42".utf8), "a.web": Array("RIFF....WEBP".utf8),
      "packets.ts": Array((0..<4).flatMap { _ in [0x47] + [UInt8](repeating: 0, count: 187) }),
    ]
    let others: [String: [UInt8]] = [
      "song.m4a": heads["film.lrv", default: []], "voice": [0, 0, 0, 24] + Array("ftypM4A ".utf8), "empty": [],
      "short": [0xff, 0xd8], "code.ts": Array("GGGG".utf8), "words": Array("BMW is a car".utf8),
      "a.wav": Array("RIFF....WAVE".utf8),
    ]
    for (name, bytes) in heads.merging(others, uniquingKeysWith: { $1 }) {
      try Data(bytes).write(to: URL(filePath: folder.path).appending(path: name))
    }
    let photo = try #require(heads["jpeg"])
    for name in ["p.jpg", "p.jpg_original", "p.jpg~", "p.jpg.bak", "other.jpg_original"] {
      try Data(photo).write(to: URL(filePath: folder.path).appending(path: name))
    }
    let (items, skipped) = try folder.storage().everything()
    #expect(Set(items.map(\.primary.locator)) == Set(heads.keys).union(["p.jpg", "other.jpg_original"]))
    #expect(skipped == 3)
  }

  @Test
  func
    `R95 a file of a freed inode is another one also where there are no times of birth, and one that moves is itself`()
    throws
  {
    let root = try Folder(path: "/tmp")
    func file(at path: String = "", _ change: (inout directory_entry_facts) -> Void = { _ in }) -> ItemFile {
      var facts = directory_entry_facts()
      (facts.device, facts.inode, facts.size, facts.modified_seconds, facts.modified_nanoseconds) = (
        7, 12, 3_000, 1_720_000_000, 5
      )
      change(&facts)
      return ItemFile(facts, name: "a.jpg", in: root, at: path, role: .original)
    }
    #expect(file(at: "moved").identityHint == file().identityHint)
    #expect(file { $0.size = 3_001 }.identityHint != file().identityHint)
    #expect(file { $0.modified_nanoseconds = 6 }.identityHint != file().identityHint)
    // With a birth time an edited file is recognized after a move.
    func born(_ change: (inout directory_entry_facts) -> Void = { _ in }) -> String? {
      file {
        $0.birth_nanoseconds = 99
        change(&$0)
      }.identityHint
    }
    #expect(born { $0.size = 3_001 } == born())
    #expect(born { $0.birth_nanoseconds = 100 } != born())
  }

  @Test func `folders are read to the depth limit, and the rest is counted`() throws {
    let name = String(repeating: "n", count: 200)
    // Each step is a relative mkdirat, since the whole path exceeds PATH_MAX.
    var descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for _ in 0..<30 {
      try #require(mkdirat(descriptor, name, 0o700) == 0)
      let next = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      close(descriptor)
      descriptor = next
      close(openat(descriptor, "p.jpg", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    }
    close(descriptor)
    let (items, skipped) = try folder.storage().everything()
    #expect(items.count == 20)
    #expect(skipped > 0)
    #expect(items.allSatisfy { $0.primary.locator.utf8.count <= 4_096 })
    // The watcher goes as deep, and survives deeper folders.
    let storage = try folder.storage()
    try storage.settle()
    #expect(try storage.facts().changeDetection == .watch)
    system("rm -rf '\(folder.path)'/n*")
  }

  @Test func `links, pipes and sockets are not photos`() throws {
    try folder.write("real.jpg", "inside/real2.jpg")
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link.jpg", withDestinationPath: "real.jpg")
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/linked", withDestinationPath: "/work")
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/round", withDestinationPath: ".")
    #expect(mkfifo(folder.path + "/pipe.jpg", 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/.hidden", withDestinationPath: ".")
    let (items, leftOut) = try folder.storage().list()
    #expect(items.map(\.primary.locator).sorted() == ["inside/real2.jpg", "real.jpg"])
    #expect(
      Set(leftOut) == [
        LeftOutFile(path: "link.jpg", cause: .link), LeftOutFile(path: "linked", cause: .link),
        LeftOutFile(path: "round", cause: .link), LeftOutFile(path: "pipe.jpg", cause: .kind),
      ])
  }

  @Test func `a name that is not text is counted and does no harm`() throws {
    try folder.write("good.jpg", "evil\u{1b}[31m.jpg")
    close(open(folder.path + "/bad.jpg".replacingOccurrences(of: "bad", with: "x"), O_CREAT | O_WRONLY, 0o600))
    var bytes = Array(folder.path.utf8) + [0x2f, 0xff, 0xfe] + Array(".jpg".utf8) + [0]
    bytes.withUnsafeMutableBytes { raw in
      let path = raw.bindMemory(to: CChar.self).baseAddress
      close(open(path!, O_CREAT | O_WRONLY, 0o600))
    }
    let (items, leftOut) = try folder.storage().list()
    #expect(items.map(\.primary.filename).sorted() == ["good.jpg", "x.jpg"])
    #expect(
      Set(leftOut) == [
        LeftOutFile(path: #"evil\x1b[31m.jpg"#, cause: .name), LeftOutFile(path: #"\xff\xfe.jpg"#, cause: .name),
      ])
  }

  @Test func `an unreadable folder is counted, and the rest is there`() throws {
    try folder.write("a.jpg", "secret/b.jpg", "open/c.jpg")
    #expect(chmod(folder.path, 0o755) == 0)
    #expect(chmod(folder.path + "/secret", 0o000) == 0)
    defer { chmod(folder.path + "/secret", 0o700) }
    let storage = try folder.storage()
    let (items, skipped) = try asOrdinaryUser { try storage.everything() }
    #expect(items.map(\.primary.locator).sorted() == ["a.jpg", "open/c.jpg"])
    #expect(skipped == 1)
    #expect(try asOrdinaryUser { try storage.waitForChanges(milliseconds: 0) })
  }

  @Test func `a missing folder is offline and recovers`() throws {
    try folder.write("a.jpg")
    let storage = try folder.storage()
    let away = folder.path + "-away"
    try FileManager.default.moveItem(atPath: folder.path, toPath: away)
    for attempt in [
      { _ = try storage.facts() }, { _ = try storage.enumerate(page: nil) },
      { _ = try storage.waitForChanges(milliseconds: 0) },
    ] {
      #expect { try attempt() } throws: { ($0 as? PluginError)?.code == .offline }
    }
    try FileManager.default.moveItem(atPath: away, toPath: folder.path)
    #expect(try storage.primaries() == ["a.jpg"])
    #expect(try storage.waitForChanges(milliseconds: 0))
  }

  @Test func `pages hold everything once`() throws {
    let count = DirectoryStorage.pageSize * 2 + 1
    for number in 0..<count { close(open("\(folder.path)/\(number).jpg", O_CREAT | O_WRONLY, 0o600)) }
    // Files that are left out fill the pages after the items.
    for number in 0..<count { #expect(mkfifo("\(folder.path)/\(number).png", 0o600) == 0) }
    let storage = try folder.storage()
    let first = try storage.enumerate(page: nil)
    #expect(first.items.count == DirectoryStorage.pageSize)
    // New files come with the next walk.
    try folder.write("later.jpg")
    var names = Set(first.items.map(\.primary.locator))
    var page = first.next
    var pages = 1
    while let next = page {
      let found = try storage.enumerate(page: next)
      names.formUnion(found.items.map(\.primary.locator))
      page = found.next
      pages += 1
    }
    #expect(names.count == count)
    #expect(pages == 5)
    let (items, leftOut) = try storage.list()
    #expect(items.count == count + 1 && Set(leftOut.map(\.path)).count == count)
    for wrong in ["2000", "-1", "x", "999999999999999999999"] {
      #expect { try storage.enumerate(page: wrong) } throws: { ($0 as? PluginError)?.code == .failed }
    }
  }

  @Test func `R95 a moved file keeps its identity, unlike a copy and an overwritten file`() throws {
    try folder.write("a.jpg")
    let storage = try folder.storage()
    let before = try #require(try storage.everything().items.first?.primary)
    try folder.write("sub/x.jpg")
    try folder.move("a.jpg", to: "sub/b.jpg")
    try FileManager.default.copyItem(at: folder.url("sub/b.jpg"), to: folder.url("copy.jpg"))
    let after = try storage.everything().items.map(\.primary)
    let moved = try #require(after.first { $0.locator == "sub/b.jpg" })
    let copy = try #require(after.first { $0.locator == "copy.jpg" })
    #expect(moved.identityHint == before.identityHint)
    #expect(moved.contentVersion == before.contentVersion)
    #expect(copy.identityHint != before.identityHint)
    // An editor's rename: another file, and another version under the same name.
    try folder.write("new.tmp", bytes: "other")
    #expect(rename(folder.path + "/new.tmp", folder.path + "/sub/b.jpg") == 0)
    let saved = try #require(try storage.everything().items.map(\.primary).first { $0.locator == "sub/b.jpg" })
    #expect(saved.contentVersion != before.contentVersion)
    // A write in place: the same file, another version.
    let file = try FileHandle(forWritingTo: folder.url("copy.jpg"))
    try file.write(contentsOf: Data("longer than before".utf8))
    try file.close()
    let written = try #require(try storage.everything().items.map(\.primary).first { $0.locator == "copy.jpg" })
    #expect(written.identityHint == copy.identityHint)
    #expect(written.contentVersion != copy.contentVersion)
  }

  @Test func `ignored names are left out, folders with their contents`() throws {
    try folder.write("a.jpg", "b.tmp.jpg", "@eaDir/c.jpg", "x/@eaDir/d.jpg", "x/e.jpg")
    let storage = try folder.storage(["ignore": "*.tmp.*,@eaDir"])
    #expect(try storage.primaries() == ["a.jpg", "x/e.jpg"])
    try storage.settle()
    try folder.write("@eaDir/f.jpg", "g.tmp.jpg")
    #expect(try !storage.waitForChanges(milliseconds: 250))
  }

  @Test(arguments: [
    "#recycle", "#Recycle", "@Recycle", "Recycle Bin", "Network Recycle Bin 1", "_NAS_Recycle_RAID", "$RECYCLE.BIN",
    "RECYCLER", "RECYCLED", "Network Trash Folder", "@eaDir", "@EADIR", "@tmp", "#snapshot", "@Recently-Snapshot",
    "lost+found",
    ".Trash-1000", ".Trashes", ".@__thumb", ".thumbnails", ".stversions", "Lightroom Previews.lrdata", "files_trashbin",
  ])
  func `a NAS's recycle bin is no part of the library, at any depth`(_ name: String) throws {
    try folder.write(
      "a.jpg", "\(name)/b.jpg", "\(name)/2024/c.jpg", "x/\(name)/d.jpg", "x/Trash/e.jpg", "x/Recycle/e.jpg")
    let storage = try folder.storage()
    let albums = ["x/Recycle/e.jpg", "x/Trash/e.jpg"]
    #expect(try storage.primaries() == ["a.jpg"] + albums)
    try storage.settle()
    try folder.write("\(name)/f.jpg", "x/\(name)/g.jpg")
    #expect(try !storage.waitForChanges(milliseconds: 250))
    #expect(rename(folder.path + "/a.jpg", folder.path + "/\(name)/a.jpg") == 0)
    #expect(try storage.waitForChanges(milliseconds: 5_000))
    #expect(try storage.primaries() == albums)
  }

  @Test func `the list of bins is an option, and the broker's own trash is in no list`() throws {
    try folder.write("a.jpg", ".b/c.jpg", "@eaDir/d.jpg", "My.Bin/e.jpg", ".photobroker-trash/f.jpg")
    #expect(try folder.storage().primaries() == ["My.Bin/e.jpg", "a.jpg"])
    let storage = try folder.storage(["bins": "my.b?n,@EADIR"])
    #expect(try storage.primaries() == [".b/c.jpg", "a.jpg"])
    #expect(try storage.facts().ignoredNames == ["my.b?n", "@EADIR"])
    try storage.settle()
    try folder.write("my.bin/g.jpg", ".photobroker-trash/h.jpg")
    #expect(try !storage.waitForChanges(milliseconds: 250))
    try folder.write(".i/j.jpg")
    #expect(try storage.waitForChanges(milliseconds: 5_000))
    #expect(try storage.primaries() == [".b/c.jpg", ".i/j.jpg", "a.jpg"])
  }

  @Test func `a name is escaped where it is no text`() {
    func escaped(_ bytes: [UInt8]) -> String { LeftOutFile.escaped(bytes) }
    #expect(escaped(Array("plain é 🖼.jpg".utf8)) == "plain é 🖼.jpg")
    #expect(escaped([0x09, 0x0a, 0x1b, 0x7f, 0x5c, 0x41]) == #"\x09\x0a\x1b\x7f\x5cA"#)
    // A lone byte, a cut character, an overlong one, and a surrogate.
    #expect(escaped([0xe9, 0xe2, 0x82, 0x41]) == #"\xe9\xe2\x82A"#)
    #expect(escaped([0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xff]) == #"\xc0\xaf\xed\xa0\x80\xff"#)
  }

  @Test func `invalid options are refused by name`() throws {
    for (options, name) in [
      (["path": "photos"], "path"), (["addFolder": "../up"], "addFolder"),
      (["addFolder": ".photobroker-trash"], "addFolder"),
      (["rescanSeconds": "1"], "rescanSeconds"), (["oneFileSystem": "yes"], "oneFileSystem"), (["pth": "/"], "pth"),
      (["addFolder": "Apps/tmp-1", "ignore": "*.bak,tmp-*"], "addFolder"),
      (["addFolder": "Apps", "bins": "apps"], "bins"),
    ] {
      #expect { try folder.storage(options) } throws: { error in
        let error = error as? PluginError
        return error?.code == .invalidOption && error?.message.contains(name) == true
      }
    }
  }

  @Test func `R95 files have no identity if inode numbers do not last`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.jpg")
    let root = try Folder(path: folder.path)
    let facts = try root.look("a.jpg").get()
    func file() -> ItemFile { ItemFile(facts, name: "a.jpg", in: root, at: "", role: .original) }
    #expect(
      file().identityHint?.contains(":\(facts.inode):") == true && file().contentVersion.hasSuffix(" \(facts.inode)"))
    root.hasLastingInodes = false
    #expect(
      file().identityHint == nil && file().contentVersion.hasSuffix(" 0") && ItemFile.isFileState(file().contentVersion)
    )
    #expect(file().isSame(as: KnownFile(contentVersion: file().contentVersion, identityHint: "of another mount")))
    #expect(!file().isSame(as: KnownFile(contentVersion: "file:6 1.2 0", identityHint: nil)))
  }
}
