import BrokerInterface
import Glibc
import Monitor
import PhotoModel
import PluginHost
import PluginKit
import Supervisor

/// Checks of a storage's changes: add, stage, trash, restore.
struct StorageChanges {
  let storage: StorageChecks
  var run: CheckRun { storage.run }

  init(_ storage: StorageChecks) { self.storage = storage }

  func all() {
    run.check("restore-of-nothing", restoreOfNothing)
    run.check("read-only-is-kept", readOnlyIsKept)
    run.check("add", add)
    run.check("add-the-same-name", addTheSameName)
    run.check("add-of-one-family", addOfOneFamily)
    run.check("add-the-same-bytes", addTheSameBytes)
    run.check("add-what-is-listed", addWhatIsListed)
    run.check("add-in-a-folder", addInAFolder)
    run.check("stage-and-publish", stageAndPublish)
    run.check("add-cut-short", addCutShort)
    run.check("killed-in-an-add", killedInAnAdd)
    run.check("trash-and-restore", trashAndRestore)
    run.check("trash-of-a-trashed-name", trashOfATrashedName)
    run.check("restore-onto-a-taken-name", restoreOntoATakenName)
    run.check("a-change-is-noticed", changeIsNoticed)
  }

  func mustChange() throws {
    try storage.must(.add)
    try storage.must(.trash)
    guard try !storage.facts().isReadOnly else { throw Skip("It is read-only.") }
    guard run.plugin.mayChange else {
      throw Skip("Not tried, because it changes the storage. Add --changes for a test storage.")
    }
  }

  // MARK: Calls that must be refused

  private func restoreOfNothing() throws {
    try storage.must(.trash)
    _ = try storage.items()
    let refusal = try expectRefusal("Restore of a file that was never in the trash succeeded. Answer notFound.") {
      _ = try run.running().call(
        Plugin.Restore.self, .init(locator: "no/such/photobroker-check.jpg"), within: .seconds(30))
    }
    try expect(
      [.notFound, .readOnly, .unsupported].contains(refusal.code),
      "Restore of a file that is not in the trash answered \(refusal.code.rawValue). Answer notFound or readOnly.")
  }

  private func readOnlyIsKept() throws {
    try storage.must(.add)
    guard try storage.facts().isReadOnly else { throw Skip("It is not read-only.") }
    guard run.plugin.mayChange else {
      throw Skip("Not tried, because a wrong answer would change the storage. Add --changes for a test storage.")
    }
    let refusal = try expectRefusal("It is read-only, but Add succeeded. Answer readOnly, or do not claim it.") {
      _ = try keep("x", as: "refused")
    }
    try expect(
      [.readOnly, .unsupported].contains(refusal.code),
      "It is read-only, but refused Add with \(refusal.code.rawValue). Answer readOnly.")
  }

  // MARK: Adding

  static let prefix = "photobroker-check-\(getpid())-"

  /// - Parameter size: the announced size; nil announces the true one.
  func keep(
    _ text: String, as name: String, ending: String = "jpg", size: Int64? = nil, folder: String? = nil,
    in process: PluginProcess? = nil
  ) throws -> Plugin.Item {
    let process = try process ?? run.running()
    return try withContents(text) { (contents, count) in
      try process.call(
        Plugin.Add.self,
        .init(name: "\(Self.prefix)\(name).\(ending)", descriptor: 0, size: size ?? count, folder: folder),
        descriptor: contents, within: .seconds(60)
      ).item
    }
  }

  /// Calls `body` with a file of these bytes that has no name.
  private func withContents<R>(_ text: String, _ body: (_ contents: Int32, _ size: Int64) throws -> R) throws -> R {
    var path = Array("/tmp/photobroker-check-XXXXXX".utf8CString)
    let contents = mkstemp(&path)
    guard contents >= 0 else { throw Skip("No file could be made in /tmp.") }
    defer { close(contents) }
    unlink(path)
    let bytes = Array(text.utf8)
    guard pwrite(contents, bytes, bytes.count, 0) == bytes.count else {
      throw Skip("No file could be written in /tmp.")
    }
    return try body(contents, Int64(bytes.count))
  }

  func text(_ file: Plugin.File) throws -> String {
    if let root = try storage.facts().root {
      return try String(decoding: ByteReader.bytes(of: file, below: root), as: UTF8.self)
    }
    return try String(decoding: ByteReader(process: run.running()).bytes(of: file), as: UTF8.self)
  }

  func listed() throws -> [Plugin.Item] { try storage.list(run.running()) }

  func isListed(at locator: String) throws -> Bool { try listed().contains { $0.files[0].locator == locator } }

  func checked(_ item: Plugin.Item) throws -> Plugin.File {
    if let complaint = ItemRules.complaint(about: item) {
      throw Complaint("Add's answer is invalid. \(complaint)")
    }
    return item.files[0]
  }

  func trash(_ file: Plugin.File) throws {
    _ = try run.running().call(
      Plugin.Trash.self,
      .init(locator: file.locator, contentVersion: file.contentVersion, identityHint: file.identityHint),
      within: .seconds(30))
  }

  private func add() throws {
    try mustChange()
    let item = try keep("first", as: "added")
    let file = try checked(item)
    try expect(
      file.size == 5 && text(file) == "first",
      "The added file has other bytes than were sent. Write the bytes as they are.")
    try expect(
      listed().contains(item),
      "The added item is not in the list, or differs there. Answer Add with the item as Enumerate lists it.")
    try trash(file)
  }

  private func addTheSameName() throws {
    try mustChange()
    let first = try checked(keep("first", as: "twice"))
    let second = try checked(keep("second", as: "twice"))
    try expect(
      first.locator != second.locator && text(first) == "first" && text(second) == "second",
      "An added file replaced another one of the same name. Put it into another folder.")
    try trash(first)
    try trash(second)
  }

  /// If equal files were one photo an app would learn that another app or the owner has it, and
  /// receive that one.
  private func addTheSameBytes() throws {
    try mustChange()
    let added = try ["once", "again"].map { try checked(keep("the very same bytes", as: $0)) }
    let places = try listed().map { ExactText($0.files[0].locator) }
    try expect(
      ExactText(added[0].locator) != ExactText(added[1].locator)
        && added.allSatisfy({ places.contains(ExactText($0.locator)) }),
      "Two added files of the same bytes are one item in the list. Keep both: to the broker they are two photos.")
    guard let hint = added[0].identityHint, let other = added[1].identityHint, ExactText(hint) == ExactText(other)
    else {
      for file in added { try trash(file) }
      return
    }
    throw Complaint("Two added files have the same identityHint. Make it unique, or null.")
  }

  /// A file that no list shows is lost to everybody and fills the storage.
  private func addWhatIsListed() throws {
    try mustChange()
    for ending in ["HEIC", "jpe", "jfif", "tif", "dng", "mov", "qt", "mkv", "no-photo"] {
      let file: Plugin.File
      do { file = try checked(keep("of a kind", as: "kind", ending: ending)) } catch let failure as PluginFailure {
        guard failure.code == .failed || failure.code == .unsupported else { throw failure }
        continue
      }
      try expect(
        isListed(at: file.locator),
        """
        It accepted a file whose name ends in .\(ending), and does not list it. Answer failed for files that it \
        does not list.
        """)
      try trash(file)
    }
  }

  /// Another app's photo with the name of the first one's edited version.
  private func addOfOneFamily() throws {
    try mustChange()
    let added = try ["family", "family-edited"].map { try checked(keep($0, as: $0)) }
    for file in added {
      try expect(
        listed().contains(where: { $0.files.count == 1 && $0.files[0].locator == file.locator }),
        """
        Two added files are one item in the list, so one app would see another app's file. Put a file of another \
        one's family (NameFamily in the kit) into a folder of its own.
        """)
    }
    for file in added { try trash(file) }
  }

  private func addInAFolder() throws {
    try mustChange()
    guard !storage.offers(.stage) else { throw Skip("It offers stage, which is checked instead.") }
    let word = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    let file = try checked(keep("one", as: "in-a-folder", folder: word))
    try expect(
      file.locator.split(separator: "/").dropLast().contains(Substring(word)),
      "Add ignores the folder in its request, so an interrupted request would leave its file. Use the folder.")
    try expect(
      text(file) == "one" && isListed(at: file.locator),
      "A file that was added to a folder of its own is not in the list, or has other bytes. List it as it was sent.")
    try trash(file)
  }

  private func stageAndPublish() throws {
    guard storage.offers(.stage) else { throw Skip("Its handshake does not offer stage.") }
    try mustChange()
    let before = try listed()
    let staged = try withContents("staged") { (contents, size) in
      try run.running().call(
        Plugin.Stage.self, .init(descriptor: 0, size: size), descriptor: contents, within: .seconds(60))
    }
    try unchanged(since: before, "Stage")
    // Another process, because the broker may have ended in between.
    let process = try run.fresh()
    let name = "\(Self.prefix)staged.jpg"
    let file = try checked(
      process.call(Plugin.Publish.self, .init(staged: staged.staged, name: name), within: .seconds(60)).item)
    try expect(
      file.identityHint == staged.identityHint && text(file) == "staged",
      "A published file has other bytes, or another identityHint than Stage answered. Keep both from Stage on.")
    try expect(
      listed().map { $0.files[0] }.contains { $0.locator == file.locator && $0.identityHint == file.identityHint },
      "A published file is not in the list, or has another identityHint there. List it as Publish answered.")
    try discardOthers(file, process)
    try withdraw(file, staged.identityHint, process)
    let unwanted = try withContents("unwanted") { (contents, size) in
      try process.call(Plugin.Stage.self, .init(descriptor: 0, size: size), descriptor: contents, within: .seconds(60))
    }
    // The broker repeats an interrupted call.
    for _ in 0..<2 { _ = try process.call(Plugin.Discard.self, .init(staged: unwanted.staged), within: .seconds(60)) }
    for other in [staged.staged, unwanted.staged, "no-such-file", "../\(name)"] {
      let refusal = try expectRefusal("Publish of a file that is not staged succeeded. Answer notFound.") {
        _ = try process.call(Plugin.Publish.self, .init(staged: other, name: name), within: .seconds(60))
      }
      try expect(
        refusal.code == .notFound,
        "Publish of a file that is not staged answered \(refusal.code.rawValue). Answer notFound.")
    }
  }

  /// Discard must delete staged files alone, whatever its argument.
  private func discardOthers(_ file: Plugin.File, _ process: PluginProcess) throws {
    let before = try listed()
    for name in [file.locator, file.filename, "../\(file.filename)"] + before.prefix(1).map({ $0.files[0].locator }) {
      do { _ = try process.call(Plugin.Discard.self, .init(staged: name), within: .seconds(60)) } catch is PluginFailure
      {}
    }
    try expect(
      Set(listed()) == Set(before) && text(file) == "staged",
      "Discard changed a listed file. It may remove staged files only.")
  }

  private func withdraw(_ file: Plugin.File, _ identityHint: String, _ process: PluginProcess) throws {
    let locator = file.locator
    func withdraw(_ hint: String) throws {
      _ = try process.call(Plugin.Withdraw.self, .init(locator: locator, identityHint: hint), within: .seconds(60))
    }
    do { try withdraw("\(identityHint)-not") } catch let failure as PluginFailure where failure.code == .notFound {}
    try expect(
      isListed(at: locator),
      "Withdraw removed a file with another identityHint, which may be the owner's. Answer notFound.")
    try withdraw(identityHint)
    try expect(!isListed(at: locator), "Withdraw succeeded, but the file is still in the list. Move it to the trash.")
    // The broker repeats an interrupted call.
    try withdraw(identityHint)
    do { _ = try process.call(Plugin.Restore.self, .init(locator: locator), within: .seconds(30)) } catch let failure
      as PluginFailure
    {
      guard failure.code == .notFound else { throw failure }
      throw Complaint(
        "A withdrawn file is not in the trash. Move it there, as Trash does, so that its owner can restore it.")
    }
    try expect(
      isListed(at: locator) && text(file) == "staged",
      "A withdrawn file was not restored from the trash as it was. Restore the same bytes.")
    try withdraw(identityHint)
  }

  /// Checks that the list holds no new item.
  private func unchanged(since before: [Plugin.Item], _ what: String) throws {
    let extra = try Set(listed().map { $0.files[0].locator }).subtracting(before.map { $0.files[0].locator })
    try expect(
      extra.isEmpty,
      "\(what) left \(extra.count) item in the list. Write to a temporary file, then rename it.")
  }

  private func addCutShort() throws {
    try mustChange()
    let before = try listed()
    _ = try expectRefusal(
      "It accepted a file of 5 bytes with an announced size of 5,000. Count the bytes, and answer failed.",
      { _ = try keep("short", as: "short", size: 5_000) })
    try unchanged(since: before, "An Add that failed")
  }

  private func killedInAnAdd() throws {
    try mustChange()
    let before = try Set(listed())
    let text = String(repeating: "0123456789abcdef", count: 1 << 18)
    for microseconds in [UInt32(500), 2_000, 8_000] {
      let process = try run.fresh()
      try process.kill(afterMicroseconds: microseconds)
      let kept = try? keep(text, as: "killed-\(microseconds)", in: process)
      process.end()
      for item in try listed() where !before.contains(item) && item.files[0].locator != kept?.files[0].locator {
        try expect(
          item.files[0].size == Int64(text.utf8.count),
          """
          A process that was killed during Add left part of a file in the list. Write to a temporary file, then \
          rename it.
          """)
      }
      for item in try listed() where !before.contains(item) { try trash(item.files[0]) }
    }
  }

  // MARK: Changes that are noticed

  private func changeIsNoticed() throws {
    try mustChange()
    guard try storage.facts().changeDetection == "watch" else {
      throw Skip("Its changeDetection is rescan.")
    }
    let watch = try run.fresh()
    try waitForQuiet(watch)
    let file = try checked(keep("noticed", as: "noticed"))
    let reply = try watch.call(Plugin.WaitForChanges.self, .init(milliseconds: 10_000), within: .seconds(40))
    try expect(
      reply.changed,
      "A file was added, and no change was reported for 10 seconds. If it cannot watch changes, answer rescan.")
    if let folders = reply.folders,
      !folders.contains(where: { StorageFolder(path: $0.path, isDeep: $0.isDeep).contains(file.locator) })
    {
      throw Complaint(
        "A file was added, but its folder is not among the reported folders. Report the folder of each change.")
    }
    try trash(file)
  }

  /// Waits for the end of events from earlier checks. Endless events would hide the file that is
  /// added next.
  private func waitForQuiet(_ watch: PluginProcess) throws {
    let deadline = MonotonicTime.after(.seconds(10))
    while try watch.call(Plugin.WaitForChanges.self, .init(milliseconds: 300), within: .seconds(31)).changed {
      try expect(
        !deadline.hasPassed,
        "It reported changes for 10 seconds while nothing changed, which causes endless scans. Report changes only.")
    }
  }
}
