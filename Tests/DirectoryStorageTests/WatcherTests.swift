import Foundation
import Glibc
import PhotoModel
import PluginKit
import Testing

@testable import DirectoryStorage

struct WatcherTests {
  let folder: TemporaryFolder
  init() throws {
    folder = try TemporaryFolder()
    try folder.write("a.jpg", "sub/b.jpg")
  }

  @Test func `the first wait of a process answers at once, and an idle folder is quiet`() throws {
    let storage = try folder.storage()
    #expect(try storage.waitForChanges(milliseconds: 5_000))
    #expect(try !storage.waitForChanges(milliseconds: 50))
    #expect(try storage.facts().changeDetection == .watch)
    #expect(try storage.facts().notice == nil)
  }

  @Test(arguments: [
    "write", "overwrite", "move", "move in", "move out", "delete", "new folder", "folder away", "touch", "sidecar",
  ])
  func `a person's actions in the folder are noticed`(_ deed: String) throws {
    let other = try TemporaryFolder()
    try other.write("in.jpg")
    let storage = try folder.storage()
    try storage.settle()
    switch deed {
    case "write": try folder.write("sub/new.jpg")
    case "overwrite": try folder.write("a.jpg", bytes: "other")
    case "move": try folder.move("a.jpg", to: "sub/c.jpg")
    case "move in": #expect(rename(other.path + "/in.jpg", folder.path + "/in.jpg") == 0)
    case "move out": #expect(rename(folder.path + "/sub/b.jpg", other.path + "/b.jpg") == 0)
    case "delete": try folder.remove("sub/b.jpg")
    case "new folder": #expect(mkdir(folder.path + "/new", 0o700) == 0)
    case "folder away": try folder.remove("sub")
    case "touch": #expect(utimes(folder.path + "/a.jpg", nil) == 0)
    default: try folder.write("a.jpg.xmp")
    }
    #expect(try storage.waitForChanges(milliseconds: 2_000))
  }

  @Test func `events lost by the system's full queue cause immediate and later scans, and the owner is notified`()
    throws
  {
    let storage = try folder.storage(["rescanSeconds": "2"])
    try storage.settle()
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    // Alternate, because the kernel merges equal events in a row.
    for round in 0...(try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))) {
      utimes(folder.path + (round % 2 == 0 ? "/a.jpg" : "/sub/b.jpg"), nil)
    }
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    #expect(storage.changedFolders() == nil, "everything is looked at")
    #expect(try storage.facts().notice?.contains("fs.inotify.max_queued_events") == true)
    #expect(try storage.waitForChanges(milliseconds: 2_000), "the new watches are in place")
    try folder.write("c.jpg")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    #expect(storage.changedFolders() == [StorageFolder(path: "", isDeep: false)], "it is told live again")
    #expect(try storage.facts().notice != nil)
    while try storage.facts().notice != nil { _ = try storage.waitForChanges(milliseconds: 500) }
    #expect(storage.changedFolders() == nil, "everything was looked at once more")
    #expect(try !storage.waitForChanges(milliseconds: 50))
  }

  @Test func `unfinished files are not noticed until complete, and hidden ones never`() throws {
    let storage = try folder.storage()
    try storage.settle()
    try folder.write(".hidden.jpg")
    let file = open(folder.path + "/slow.jpg", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    write(file, "half", 4)
    fchmod(file, 0o640)
    #expect(try !storage.waitForChanges(milliseconds: 300))
    close(file)
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    // A download is renamed once complete.
    try folder.write("c.jpg.part")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    try folder.move("c.jpg.part", to: "c.jpg")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
  }

  @Test(arguments: [
    "an older file", "one that was just written", "one without a name", "one that keeps its other name",
  ])
  func `a link is noticed, though no writer closes it`(_ what: String) throws {
    let storage = try folder.storage()
    try storage.settle()
    let (hidden, name) = (folder.path + "/.in", folder.path + "/sub/linked.jpg")
    if what == "one without a name" {
      let unnamed = O_DIRECTORY | 0o20_000_000  // O_TMPFILE, a macro of macros.
      let file = open(folder.path, unnamed | O_WRONLY | O_CLOEXEC, 0o600)
      try #require(file >= 0)
      #expect(write(file, "photo", 5) == 5)
      #expect(linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
      close(file)
    } else {
      try folder.write(".in")
      if what == "an older file" { utimes(hidden, [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]) }
      #expect(link(hidden, name) == 0 && (what == "one that keeps its other name" || unlink(hidden) == 0))
    }
    let isSure = what == "an older file" || what == "one that keeps its other name"
    let limit = isSure ? Duration.seconds(4) : Arrivals.quiet + .seconds(5)
    let start = ContinuousClock.now
    while try !storage.waitForChanges(milliseconds: 500) { try #require(start.duration(to: .now) < limit) }
    #expect(storage.changedFolders() == [StorageFolder(path: "sub", isDeep: false)])
    #expect(try !storage.waitForChanges(milliseconds: 50))
  }

  @Test func `a file being written is not mistaken for a link, despite long pauses`()
    throws
  {
    let root = try Folder(path: folder.path)
    let start = ContinuousClock.now
    var arrivals = Arrivals()
    arrivals.note("a.jpg", in: "", now: start)
    arrivals.note("gone.jpg", in: "sub", now: start)
    #expect(arrivals.takeWhole(below: root, now: start) == [])
    #expect(arrivals.takeWhole(below: root, now: start + Arrivals.quiet - .milliseconds(1)) == [])
    try folder.write("a.jpg", bytes: "more of it")
    #expect(arrivals.takeWhole(below: root, now: start + Arrivals.quiet) == [])
    #expect(arrivals.takeWhole(below: root, now: start + Arrivals.quiet * 2 - .milliseconds(1)) == [])
    #expect(arrivals.milliseconds(from: start + Arrivals.quiet) <= 5_001)
    #expect(arrivals.takeWhole(below: root, now: start + Arrivals.quiet * 2) == [""])
    #expect(arrivals.isEmpty)
    arrivals.note("a.jpg", in: "", now: start)
    arrivals.forget("a.jpg", in: "")
    #expect(arrivals.isEmpty)
  }

  @Test func `exchanged folders are both watched in their new places`() throws {
    try folder.write("other/c.jpg")
    let storage = try folder.storage()
    try storage.settle()
    try exchange("sub", "other")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    for place in ["sub", "other"] {
      try storage.settle()
      try folder.write("\(place)/later.jpg")
      #expect(try storage.waitForChanges(milliseconds: 2_000))
      #expect(storage.changedFolders() == [StorageFolder(path: place, isDeep: false)])
    }
  }

  @Test(arguments: ["my photos", "tab\there", "back\\slash", "line\nend", "\u{301}cut"])
  func `a mount below a folder of any name is seen`(_ name: String) {
    let root = Array("/srv/\(name)".utf8)
    let written = name.utf8.map {
      [9, 10, 32, 92].contains($0) ? "\\" + String("00\(String($0, radix: 8))".suffix(3)) : nil
    }
    let field = zip(name.utf8, written).flatMap { byte, escaped in escaped.map { Array($0.utf8) } ?? [byte] }
    func found(_ place: [UInt8]) -> Set<Mounts.Mount> {
      Mounts.mounts(in: Array("36 35 98:0 / ".utf8) + place + Array(" rw - ext4 /dev/sda1 rw\n".utf8), concerning: root)
    }
    let escaped = Array("/srv/".utf8) + field
    #expect(found(escaped).first?.place == root)
    for below in ["/disk", "/\u{301}disk"] {
      #expect(found(escaped + Array(below.utf8)).first?.place == root + Array(below.utf8))
    }
    #expect(found(Array("/srv".utf8)).count == 1)
    #expect(found(escaped + Array("-more".utf8)).isEmpty && found([0x2f]).isEmpty)
  }

  @Test func `later additions to a new folder are noticed at any depth`() throws {
    let storage = try folder.storage()
    try storage.settle()
    try folder.write("x/y/z/first.jpg")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    try storage.settle()
    try folder.write("x/y/z/second.jpg")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    #expect(try storage.primaries().contains("x/y/z/second.jpg"))
    // Moved together with its parent folder.
    try folder.move("x", to: "sub/x")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    try storage.settle()
    try folder.write("sub/x/y/z/third.jpg")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
  }

  @Test func `events beyond the queue's length cause a full scan, and watching continues`() throws {
    let storage = try folder.storage()
    try storage.settle()
    let limit = try #require(
      Int(
        String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).trimmingCharacters(
          in: .whitespacesAndNewlines))
    )
    for number in 0...(limit / 3) {
      let name = "\(folder.path)/\(number % 50).jpg"
      close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
      unlink(name)
    }
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    // The queue overflowed, so new watches and a full scan follow.
    #expect(try storage.waitForChanges(milliseconds: 0))
    try storage.settle()
    try folder.write("after.jpg")
    #expect(try storage.waitForChanges(milliseconds: 2_000))
  }

  @Test func `more folders than watches fall back to a timer, and the owner is notified`() throws {
    let storage = try folder.storage(["rescanSeconds": "2"], watchLimit: 1)
    #expect(try storage.waitForChanges(milliseconds: 0))
    let facts = try storage.facts()
    #expect(facts.changeDetection == .rescan)
    #expect(facts.notice?.contains("max_user_watches") == true)
    #expect(facts.notice?.contains("every 2 seconds") == true)
    let start = ContinuousClock.now
    var looks = 0
    while start.duration(to: .now) < .milliseconds(2_500) {
      if try storage.waitForChanges(milliseconds: 500) { looks += 1 }
    }
    #expect(looks == 1)
  }

  @Test func `freed watches are reused`() throws {
    let storage = try folder.storage(["rescanSeconds": "2"], watchLimit: 2)
    try folder.write("third/c.jpg")
    #expect(try storage.waitForChanges(milliseconds: 0))
    #expect(try storage.facts().changeDetection == .rescan)
    try folder.remove("third")
    while try !storage.waitForChanges(milliseconds: 1_000) {}
    #expect(try storage.facts().changeDetection == .watch)
  }

  @Test func `a constantly changing file does not hold back the answer`() throws {
    let storage = try folder.storage()
    try storage.settle()
    let path = folder.path + "/busy.jpg"
    let stop = Flag()
    let thread = Thread {
      while !stop.isSet {
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        usleep(20_000)
      }
    }
    thread.start()
    let start = ContinuousClock.now
    #expect(try storage.waitForChanges(milliseconds: 1_000))
    #expect(start.duration(to: .now) < .seconds(5))
    stop.set()
  }

  /// renameat2 with RENAME_EXCHANGE, which Swift's Glibc module hides.
  private func exchange(_ one: String, _ other: String) throws {
    typealias Call = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    let call = try #require(unsafeBitCast(dlsym(nil, "renameat2"), to: Call?.self))
    #expect(call(AT_FDCWD, "\(folder.path)/\(one)", AT_FDCWD, "\(folder.path)/\(other)", 2) == 0)
  }
}
