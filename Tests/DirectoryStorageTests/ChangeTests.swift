import Foundation
import Glibc
import PhotoModel
import PluginKit
import Testing

@testable import DirectoryStorage

struct ChangeTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  // MARK: Adding

  private func withBytes<R>(_ text: String, _ body: (Int32) throws -> R) throws -> R {
    let source = try TemporaryFolder()
    try source.write("bytes", bytes: text)
    let file = open(source.path + "/bytes", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    return try body(file)
  }

  private func add(_ name: String, _ text: String, to storage: DirectoryStorage) throws -> String {
    try withBytes(text) { try storage.add(name: name, contents: $0, size: Int64(text.utf8.count)).primary.locator }
  }

  private func stage(_ text: String, in storage: DirectoryStorage) throws -> StagedFile {
    try withBytes(text) { try storage.stage(contents: $0, size: Int64(text.utf8.count)) }
  }

  @Test func `R126 several owners of one folder have separate folders for additions and trash`() throws {
    let storages = try [1, 2].map { try folder.storage(owner: $0) }
    for (user, storage) in zip(1..., storages) {
      #expect(try add("new.jpg", "photo", to: storage) == "PhotoBroker/user-\(user)/new.jpg")
      try folder.write("same.jpg", bytes: "\(user)")
      try storage.trash(locator: "same.jpg")
    }
    try storages[0].restore(locator: "same.jpg")
    #expect(folder.text("same.jpg") == "1")
  }

  @Test(arguments: [true, false])
  func `R142 trashed files return after the folder changed its owner`(_ wasOwners: Bool) throws {
    let own = getuid()
    let before = try folder.storage(owner: wasOwners ? nil : own)
    try folder.write("a.jpg", bytes: "photo")
    let file = try #require(before.everything().items.first?.primary)
    let known = KnownFile(contentVersion: file.contentVersion, identityHint: file.identityHint)
    try before.trash(locator: "a.jpg", known: known)
    let after = try folder.storage(owner: wasOwners ? own : nil)
    // Without the owner's uid, other users' files may be there too.
    if wasOwners { #expect(throws: PluginError.self) { try after.restore(locator: "a.jpg") } }
    try after.restore(locator: "a.jpg", known: known)
    #expect(folder.text("a.jpg") == "photo")
  }

  @Test func `R142 files trashed from the folder for additions return after that is another one`() throws {
    try folder.write("Apps/a.jpg", bytes: "photo")
    let file = try #require(folder.storage().everything().items.first?.primary)
    let known = KnownFile(contentVersion: file.contentVersion, identityHint: file.identityHint)
    let (root, apps) = (try Folder(path: folder.path), try Folder(path: folder.path + "/Apps"))
    try Trash(root: root, in: apps).put(["a.jpg"], from: apps, at: RelativePath("Apps/a.jpg")) { _ in true }
    #expect(!folder.exists("Apps/a.jpg"))
    try folder.storage(["addFolder": "New"]).restore(locator: "Apps/a.jpg", known: known)
    #expect(folder.text("Apps/a.jpg") == "photo")
  }

  @Test func `added files go to their folder and never over another file`() throws {
    let storage = try folder.storage(["addFolder": "Apps/Camera"])
    #expect(try add("p.jpg", "one", to: storage) == "Apps/Camera/p.jpg")
    let second = try add("p.jpg", "two", to: storage)
    #expect(second.hasPrefix("Apps/Camera/") && second.hasSuffix("/p.jpg") && second.split(separator: "/").count == 4)
    for number in 0..<10 { _ = try add("p.jpg", "\(number)", to: storage) }
    #expect(folder.text("Apps/Camera/p.jpg") == "one")
    #expect(folder.text(second) == "two")
    #expect(try storage.primaries().count == 12)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/Apps/Camera").count == 12)
  }

  @Test(arguments: [true, false])
  func `R126 another folder in the served one's place is neither touched nor reported`(_ isLink: Bool)
    throws
  {
    let other = try TemporaryFolder()
    let names = ["a.jpg", "PhotoBroker/b.jpg"]
    for place in [folder, other] { for name in names { try place.write(name) } }
    let storage = try folder.storage(isHeld: true)
    #expect(try storage.waitForChanges(milliseconds: 0) && storage.primaries() == names.sorted())
    let staged = try stage("new", in: storage)
    try storage.trash(locator: "a.jpg")
    let before = try FileManager.default.subpathsOfDirectory(atPath: other.path).sorted()
    let (place, away) = (folder.path, folder.path + ".away")
    #expect(rename(place, away) == 0)
    #expect(isLink ? symlink(other.path, place) == 0 : rename(other.path, place) == 0)
    defer {
      _ = isLink ? unlink(place) : rename(place, other.path)
      rename(away, place)
    }
    let calls: [(String, () throws -> Void)] = [
      ("facts", { _ = try storage.facts() }), ("enumerate", { _ = try storage.enumerate(page: nil) }),
      ("add", { _ = try self.add("c.jpg", "c", to: storage) }), ("stage", { _ = try self.stage("d", in: storage) }),
      ("publish", { _ = try storage.publish(staged.name, name: "d.jpg") }),
      ("discard", { try storage.discard(staged.name) }),
      ("withdraw", { try storage.withdraw(locator: "PhotoBroker/b.jpg", identityHint: "x") }),
      ("trash", { try storage.trash(locator: "PhotoBroker/b.jpg") }),
      ("restore", { try storage.restore(locator: "a.jpg") }),
      ("watch", { while true { _ = try storage.waitForChanges(milliseconds: 0) } }),
    ]
    for (name, call) in calls {
      #expect("\(name)", performing: call, throws: { ($0 as? PluginError)?.code == .offline })
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: isLink ? other.path : place).sorted() == before)
  }

  @Test func `R126 a storage opened without a folder serves none that appears there`() throws {
    let options = try PluginOptions(["path": folder.path], folders: ["path": "0:0:0:0"], for: DirectoryStorage.options)
    let storage = try DirectoryStorage(options: options)
    #expect { try storage.facts() } throws: { ($0 as? PluginError)?.code == .offline }
    for text in ["", "1:2:3", "1:2:3:4:5", "a:2:3:4", "-1:2:3:4"] { #expect(FolderIdentity(text) == nil) }
  }

  @Test func `R40 a file added beside one of another extension is a photo of its own`() throws {
    let storage = try folder.storage(["addFolder": "Apps"])
    _ = try add("IMG_1.JPG", "one", to: storage)
    for name in ["img_1.mov", "IMG_1.dng", "IMG_1.jpg.mov", "IMG_1-edited.jpg"] {
      #expect(try add(name, "two", to: storage).split(separator: "/").count == 3)
    }
    #expect(try add("IMG_2.mov", "three", to: storage) == "Apps/IMG_2.mov")
  }

  @Test func `R142 a staged file is found by nobody and keeps its mark under its final name`() throws {
    let storage = try folder.storage()
    let (first, second) = (try stage("one", in: storage), try stage("two", in: storage))
    #expect(first != second && first.identityHint != second.identityHint)
    #expect(try storage.primaries() == [])
    // Another process may publish it.
    let other = try folder.storage()
    let kept = try other.publish(first.name, name: "p.jpg").primary
    #expect(kept.locator == "PhotoBroker/p.jpg" && kept.identityHint == first.identityHint)
    let beside = try other.publish(second.name, name: "p.jpg").primary
    #expect(
      beside.locator.hasSuffix("/p.jpg") && beside.locator != kept.locator && beside.identityHint == second.identityHint
    )
    #expect(folder.text(kept.locator) == "one" && folder.text(beside.locator) == "two")
    #expect(try Set(storage.primaries()) == [kept.locator, beside.locator])
    try folder.write("PhotoBroker/.photobroker-secret", "PhotoBroker/mine.part", "outside.jpg")
    for name in [
      first.name, "", "p.jpg", "mine.part", ".photobroker-secret", ".photobroker-/../../outside.jpg.part",
      ".photobroker-1.part",
    ] {
      #expect { try storage.publish(name, name: "q.jpg") } throws: { ($0 as? PluginError)?.code == .notFound }
    }
    for name in [first.name, "", "mine.part", ".photobroker-secret", ".photobroker-/../../outside.jpg.part"] {
      try storage.discard(name)
    }
    #expect(
      ["PhotoBroker/p.jpg", "PhotoBroker/mine.part", "PhotoBroker/.photobroker-secret", "outside.jpg"].allSatisfy(
        folder.exists))
    let unwanted = try stage("unwanted", in: storage)
    for _ in 0..<2 { try storage.discard(unwanted.name) }
    #expect { try storage.publish(unwanted.name, name: "q.jpg") } throws: { ($0 as? PluginError)?.code == .notFound }
    let last = try stage("three", in: storage)
    #expect(throws: PluginError.self) { try storage.publish(last.name, name: "..") }
    #expect(try storage.publish(last.name, name: "r.jpg").primary.identityHint == last.identityHint)
    try withBytes("short") { file in
      _ = #expect(throws: PluginError.self) { try storage.stage(contents: file, size: 1_000) }
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/PhotoBroker").filter {
      $0.hasSuffix(".part")
    }
    #expect(left == ["mine.part"])
  }

  @Test func `R14 R142 a file that cannot be saved under its name is absent, even if it had the name already`() throws {
    let storage = try folder.storage()
    try folder.write("PhotoBroker/taken.jpg", bytes: "mine")
    for name in ["free.jpg", "taken.jpg"] {
      let staged = try stage("one", in: storage)
      let code = try withoutRoomToSave { [folder] () -> PluginError.Code? in
        do { _ = try folder.storage().publish(staged.name, name: name) } catch { return (error as? PluginError)?.code }
        return nil
      }
      #expect(code == .noSpace)
      #expect(try storage.primaries() == ["PhotoBroker/taken.jpg"] && folder.text("PhotoBroker/taken.jpg") == "mine")
      #expect { try storage.publish(staged.name, name: "again.jpg") } throws: {
        ($0 as? PluginError)?.code == .notFound
      }
    }
  }

  @Test func `R142 a withdrawn file goes alone, and only while it is the published one`() throws {
    let storage = try folder.storage()
    let staged = try stage("one", in: storage)
    let kept = try storage.publish(staged.name, name: "p.jpg").primary.locator
    try folder.write("PhotoBroker/p.dng", bytes: "raw")
    try folder.write("PhotoBroker/p.jpg.xmp", bytes: "mine")
    #expect { try storage.withdraw(locator: kept, identityHint: "1") } throws: {
      ($0 as? PluginError)?.code == .notFound
    }
    #expect(folder.text(kept) == "one")
    for _ in 0..<2 { try storage.withdraw(locator: kept, identityHint: staged.identityHint) }
    #expect(folder.text("PhotoBroker/p.dng") == "raw" && folder.text("PhotoBroker/p.jpg.xmp") == "mine")
    #expect(try storage.primaries() == ["PhotoBroker/p.dng"])
    try folder.write(kept, bytes: "other")
    #expect { try storage.withdraw(locator: kept, identityHint: staged.identityHint) } throws: {
      ($0 as? PluginError)?.code == .notFound
    }
    try FileManager.default.removeItem(atPath: folder.path + "/" + kept)
    try storage.restore(locator: kept)
    #expect(folder.text(kept) == "one" && folder.text("PhotoBroker/p.dng") == "raw")
  }

  @Test(arguments: ["", ".hidden.jpg", "a/b.jpg", "..", "a\u{0}b.jpg", "a\nb.jpg", String(repeating: "x", count: 201)])
  func `an invalid name is refused`(_ name: String) throws {
    let storage = try folder.storage()
    #expect(throws: PluginError.self) { try add(name, "x", to: storage) }
    #expect(try storage.primaries() == [])
  }

  /// A scan would not find the stored file, and would call it missing.
  @Test(arguments: ["photo", "a.txt", "a.thm", "a.xmp", "a.jpg ", "a.jpg.", "tmp-1.jpg"])
  func `a name ignored by walks is refused`(_ name: String) throws {
    let storage = try folder.storage(["ignore": "*.bak,tmp-*"])
    #expect(throws: PluginError.self) { try add(name, "x", to: storage) }
    let staged = try stage("x", in: storage)
    #expect(throws: PluginError.self) { try storage.publish(staged.name, name: name) }
    #expect(try storage.publish(staged.name, name: "a.jpg").primary.locator == "PhotoBroker/a.jpg")
    #expect(try storage.primaries() == ["PhotoBroker/a.jpg"])
  }

  @Test func `exactly the unfinished files of a dead process are removed a day later`() throws {
    let old = [
      ".photobroker-1.part", ".photobroker-1", "x.part", ".other.part", ".photobroker-3.part", ".photobroker-4.part",
    ]
    try folder.write("PhotoBroker/a.jpg", "PhotoBroker/.photobroker-2.part", "PhotoBroker/.photobroker-4.part/mine.jpg")
    try FileManager.default.createDirectory(
      at: folder.url("PhotoBroker/.photobroker-3.part"), withIntermediateDirectories: false)
    for name in old {
      if !name.hasSuffix("3.part"), !name.hasSuffix("4.part") { try folder.write("PhotoBroker/\(name)") }
      var times = [timeval(tv_sec: time(nil) - 90_000, tv_usec: 0), timeval(tv_sec: time(nil) - 90_000, tv_usec: 0)]
      #expect(utimes(folder.path + "/PhotoBroker/\(name)", &times) == 0)
    }
    _ = try add("b.jpg", "x", to: folder.storage())
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/PhotoBroker")
    #expect(Set(left) == Set(old[1...3] + ["a.jpg", "b.jpg", ".photobroker-2.part", ".photobroker-4.part"]))
  }

  @Test func `bytes that end early leave nothing behind`() throws {
    try folder.write("PhotoBroker/x.jpg")
    let file = open(folder.path + "/PhotoBroker/x.jpg", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let storage = try folder.storage()
    #expect(throws: PluginError.self) { try storage.add(name: "y.jpg", contents: file, size: 1_000) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/PhotoBroker") == ["x.jpg"])
  }

  @Test func `an unwritable folder is reported and still served`() throws {
    try folder.write("a.jpg")
    #expect(chmod(folder.path, 0o755) == 0)
    let storage = try folder.storage()
    #expect { try asOrdinaryUser { try add("b.jpg", "x", to: storage) } } throws: {
      ($0 as? PluginError)?.code == .readOnly
    }
    #expect { try asOrdinaryUser { try storage.trash(locator: "a.jpg") } } throws: {
      ($0 as? PluginError)?.code == .readOnly
    }
    #expect(try asOrdinaryUser { try storage.primaries() } == ["a.jpg"])
    #expect(folder.exists("a.jpg"))
  }

  // MARK: Trash

  @Test func `the broker's additions go to the trash even if it may write nowhere else`() throws {
    try folder.write("a.jpg", "PhotoBroker/b.jpg", "PhotoBroker/b.jpg.xmp")
    #expect(chmod(folder.path, 0o755) == 0 && chmod(folder.path + "/PhotoBroker", 0o777) == 0)
    let storage = try folder.storage()
    try asOrdinaryUser { try storage.trash(locator: "PhotoBroker/b.jpg") }
    #expect(try storage.primaries() == ["a.jpg"])
    #expect(
      !folder.exists("PhotoBroker/b.jpg") && !folder.exists("PhotoBroker/b.jpg.xmp")
        && !folder.exists(".photobroker-trash"))
    #expect { try asOrdinaryUser { try storage.trash(locator: "a.jpg") } } throws: {
      ($0 as? PluginError)?.code == .readOnly
    }
    try asOrdinaryUser { try storage.restore(locator: "PhotoBroker/b.jpg") }
    #expect(try storage.primaries() == ["PhotoBroker/b.jpg", "a.jpg"] && folder.exists("PhotoBroker/b.jpg.xmp"))
    #expect { try storage.restore(locator: "PhotoBroker/b.jpg") } throws: { ($0 as? PluginError)?.code == .notFound }
  }

  @Test func `R142 a photo is trashed and restored with all its files`() throws {
    let names = ["2024/IMG_1.JPG", "2024/IMG_1.CR2", "2024/IMG_1.JPG.xmp", "2024/IMG_1.xmp"]
    for name in names { try folder.write(name, bytes: name) }
    try folder.write("2024/IMG_1.MOV", "2024/IMG_10.JPG")
    let storage = try folder.storage()
    let before = try storage.everything().items
    try storage.trash(locator: "2024/IMG_1.JPG")
    #expect(try storage.primaries() == ["2024/IMG_1.MOV", "2024/IMG_10.JPG"])
    #expect(names.allSatisfy { !folder.exists($0) })
    // A repeated call succeeds.
    try storage.trash(locator: "2024/IMG_1.JPG")
    try storage.restore(locator: "2024/IMG_1.JPG")
    #expect(Set(try storage.everything().items) == Set(before))
    for name in names { #expect(folder.text(name) == name) }
    #expect { try storage.restore(locator: "2024/IMG_1.JPG") } throws: { ($0 as? PluginError)?.code == .notFound }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.photobroker-trash") == [])
  }

  @Test func `R142 a trashed photo takes its own files along under any names, and no others`()
    throws
  {
    try folder.write(
      "2024/IMG_1.JPG", "2024/IMG_1.DNG", "2024/IMG_1.DNG.xmp", "2024/IMG_1.xmp", "2024/clip.MOV", "IMG_1.MOV")
    let storage = try folder.storage()
    var known = try facts(storage, "2024/IMG_1.JPG")
    known.others = ["2024/IMG_1.xmp", "2024/clip.MOV", "2024/gone.xmp", "IMG_1.MOV"]
    try storage.trash(locator: "2024/IMG_1.JPG", known: known)
    #expect(try storage.primaries() == ["2024/IMG_1.DNG", "IMG_1.MOV"])
    #expect(folder.exists("2024/IMG_1.DNG.xmp") && !folder.exists("2024/IMG_1.xmp") && !folder.exists("2024/clip.MOV"))
    try folder.write("2024/clip.MOV", bytes: "another")
    #expect { try storage.restore(locator: "2024/IMG_1.JPG", known: known) } throws: { isTaken($0) }
    #expect(!folder.exists("2024/IMG_1.JPG") && !folder.exists("2024/IMG_1.xmp"))
    #expect(folder.text("2024/clip.MOV") == "another")
    try folder.remove("2024/clip.MOV")
    try storage.restore(locator: "2024/IMG_1.JPG", known: known)
    #expect(["2024/IMG_1.JPG", "2024/IMG_1.xmp", "2024/clip.MOV"].allSatisfy(folder.exists))
  }

  private func isTaken(_ error: any Error) -> Bool {
    (error as? PluginError).map { $0.code == .failed && $0.message.contains("Move or rename it") } ?? false
  }

  @Test func `R142 a name trashed twice is restored newest first, and never onto its present holder`() throws {
    let storage = try folder.storage()
    for text in ["first", "second"] {
      try folder.write("a.jpg", "a.jpg.xmp", bytes: text)
      try storage.trash(locator: "a.jpg")
    }
    #expect(!folder.exists("a.jpg"))
    try storage.restore(locator: "a.jpg")
    #expect(folder.text("a.jpg") == "second")
    for name in ["a.jpg", "a.jpg.xmp"] {
      #expect { try storage.restore(locator: "a.jpg") } throws: { isTaken($0) }
      #expect(folder.text(name) == "second")
      try folder.remove(name)
      #expect(!folder.exists("a.jpg"))
    }
    try storage.restore(locator: "a.jpg")
    #expect(folder.text("a.jpg") == "first" && folder.text("a.jpg.xmp") == "first")
  }

  /// The file system may reuse the first file's inode for the second, but not its birth time.
  @Test func `R142 of several files trashed under one name the intended one is restored, in any order`()
    throws
  {
    let storage = try folder.storage()
    let texts = ["first", "second", "third"]
    let known = try texts.map { text in
      try folder.write("a.jpg", "a.jpg.xmp", bytes: text)
      let known = try facts(storage, "a.jpg")
      try storage.trash(locator: "a.jpg", known: known)
      return known
    }
    for place in [0, 2, 1] {
      try storage.restore(locator: "a.jpg", known: known[place])
      #expect(folder.text("a.jpg") == texts[place] && folder.text("a.jpg.xmp") == texts[place])
      #expect(try facts(storage, "a.jpg") == known[place])
      #expect { try storage.restore(locator: "a.jpg", known: known[place]) } throws: {
        ($0 as? PluginError)?.code == .notFound
      }
      try storage.trash(locator: "a.jpg", known: known[place])
    }
    try folder.write("a.jpg", bytes: "new")
    #expect { try storage.restore(locator: "a.jpg", known: known[1]) } throws: { isTaken($0) }
    #expect(folder.text("a.jpg") == "new" && !folder.exists("a.jpg.xmp"))
  }

  @Test
  func `R142 on a copied disk the intended photo is restored by size and time`()
    throws
  {
    let storage = try folder.storage()
    let known = try ["first", "again"].map { text in
      try folder.write("a.jpg", bytes: text)
      let known = try facts(storage, "a.jpg")
      try storage.trash(locator: "a.jpg", known: known)
      return known
    }
    let copy = try TemporaryFolder()
    let copying = Process()
    copying.executableURL = URL(fileURLWithPath: "/bin/cp")
    copying.arguments = ["-a", folder.path + "/.photobroker-trash", copy.path]
    try copying.run()
    copying.waitUntilExit()
    let copied = try copy.storage()
    try copied.restore(locator: "a.jpg", known: known[0])
    #expect(copy.text("a.jpg") == "first")
    #expect(throws: PluginError.self) { try copied.restore(locator: "a.jpg", known: known[0]) }
  }

  @Test func `a missing folder is created again, and names may have the maximum length`() throws {
    let long = "sub folder/" + String(repeating: "n", count: 240) + ".jpg"
    let twin = "sub folder/" + String(repeating: "n", count: 239) + "m.jpg"
    try folder.write(long, bytes: "one")
    try folder.write(twin, bytes: "two")
    let storage = try folder.storage()
    try storage.trash(locator: long)
    try storage.trash(locator: twin)
    try folder.remove("sub folder")
    try storage.restore(locator: long)
    #expect(folder.text(long) == "one")
    try storage.restore(locator: twin)
    #expect(folder.text(twin) == "two")
  }

  @Test(arguments: [true, false])
  func `interrupted trashing is finished by trashing again or undone by restoring`(
    _ isFinished: Bool
  ) throws {
    try folder.write("a.jpg", "a.dng")
    let storage = try folder.storage()
    try storage.trash(locator: "a.jpg")
    // As after a crash between the two renames.
    let trash = folder.path + "/.photobroker-trash"
    let entry = try #require(FileManager.default.contentsOfDirectory(atPath: trash).first)
    #expect(rename("\(trash)/\(entry)/a.jpg", folder.path + "/a.jpg") == 0)
    #expect(try storage.primaries() == ["a.jpg"])
    let known = try facts(storage, "a.jpg")
    if isFinished { try storage.trash(locator: "a.jpg", known: known) }
    try storage.restore(locator: "a.jpg", known: known)
    #expect(try storage.everything().items.map(\.others.count) == [1])
  }

  private func facts(_ storage: DirectoryStorage, _ locator: String) throws -> KnownFile {
    let file = try #require(storage.everything().items.first { $0.primary.locator == locator }?.primary)
    return KnownFile(contentVersion: file.contentVersion, identityHint: file.identityHint)
  }

  @Test func `R142 an owner's file under a trashed photo's name is untouched, and the photo goes`() throws {
    try folder.write("a.jpg", "a.jpg.xmp", bytes: "old")
    let storage = try folder.storage()
    let known = try facts(storage, "a.jpg")
    try folder.write("new", bytes: "new")
    #expect(rename(folder.path + "/new", folder.path + "/a.jpg") == 0)
    #expect { try storage.trash(locator: "a.jpg", known: known) } throws: { ($0 as? PluginError)?.code == .notFound }
    #expect(folder.text("a.jpg") == "new" && folder.exists("a.jpg.xmp"))
    let now = try facts(storage, "a.jpg")
    try storage.trash(locator: "a.jpg", known: now)
    try storage.trash(locator: "a.jpg", known: now)
    #expect(!folder.exists("a.jpg") && !folder.exists("a.jpg.xmp"))
  }

  @Test
  func
    `R142 a file that gets a photo's name while the photo is trashed is restored, but never onto a newer one`()
    throws
  {
    try folder.write("a.jpg", "a.jpg.xmp", bytes: "old")
    let root = try Folder(path: folder.path)
    let trash = folder.path + "/.photobroker-trash"
    for isThereNewer in [false, true] {
      var asked = 0
      let put = {
        try Trash(root: root).put(["a.jpg", "a.jpg.xmp"], from: root, at: RelativePath("a.jpg")) { _ in
          asked += 1
          if asked == 2, isThereNewer { try? folder.write("a.jpg", bytes: "newer") }
          return asked == 1
        }
      }
      #expect { try put() } throws: { isThereNewer ? isTaken($0) : ($0 as? PluginError)?.code == .notFound }
      #expect(folder.text("a.jpg") == (isThereNewer ? "newer" : "old") && asked == 2)
      #expect(folder.exists("a.jpg.xmp") == !isThereNewer)
      #expect(try FileManager.default.contentsOfDirectory(atPath: trash).isEmpty == !isThereNewer)
    }
    try folder.remove("a.jpg")
    try Trash.restore(RelativePath("a.jpg"), known: nil, from: [Trash(root: root)])
    #expect(folder.text("a.jpg") == "old" && folder.text("a.jpg.xmp") == "old")
  }

  @Test(arguments: ["../outside.jpg", "sub/../../outside.jpg", "/etc/passwd", "link/x.jpg", "", "sub//a.jpg", "."])
  func `paths that leave the folder lead nowhere`(_ path: String) throws {
    let outside = try TemporaryFolder()
    try outside.write("x.jpg", "outside.jpg")
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: outside.path)
    let storage = try folder.storage()
    try? storage.trash(locator: path)
    #expect(throws: PluginError.self) { try storage.restore(locator: path) }
    #expect(outside.exists("x.jpg"))
    #expect(outside.exists("outside.jpg"))
    #expect(access("/etc/passwd", F_OK) == 0)
  }
}
