import BrokerInterface
import Glibc
import Monitor
import PhotoModel
import PluginHost
import PluginKit

/// Checks of a storage's list and events. ``StorageReading`` checks its bytes, ``StorageChanges``
/// its changes.
final class StorageChecks {
  let run: CheckRun
  private var found: Plugin.Facts.Reply?
  /// Capabilities from its handshake; nil means all.
  private var offered: Set<StorageCapability>?
  private var listed: [Plugin.Item]?

  init(_ run: CheckRun) { self.run = run }

  func all() {
    run.check("capabilities", checkCapabilities)
    run.check("facts", checkFacts)
    run.check("list", checkList)
    run.check("list-again") { try same(run.running()) }
    run.check("list-in-another-process") {
      let other = try run.fresh()
      try same(other)
    }
    run.check("page-that-never-was", pageThatNeverWas)
    run.check("killed-in-a-list", killedInAList)
    run.check("list-of-folders", listOfFolders)
    run.check("wait", wait)
    StorageReading(self).all()
    StorageChanges(self).all()
  }

  /// The facts, for checks that need them.
  func facts() throws -> Plugin.Facts.Reply {
    guard let found else { throw Skip("Not tried: its facts are unknown.") }
    return found
  }

  /// The list, for checks that need it.
  func items() throws -> [Plugin.Item] {
    guard let listed else { throw Skip("Not tried: its list failed.") }
    return listed
  }

  /// Skips a check of a capability that the plugin does not offer, since the broker never uses it.
  func must(_ capability: StorageCapability) throws {
    if let offered, !offered.contains(capability) { throw Skip("Its handshake does not offer \(capability.rawValue).") }
  }

  /// Whether the handshake names this capability.
  func offers(_ capability: StorageCapability) -> Bool { offered?.contains(capability) ?? false }

  // MARK: Facts

  private func checkCapabilities() throws {
    let process = try PluginProcess(run.plugin)
    defer { process.end() }
    offered = try process.start()
  }

  private func checkFacts() throws {
    let process = try run.running()
    let facts = try process.call(Plugin.Facts.self, .init(), within: .seconds(10))
    if let root = facts.root {
      try expect(
        root.hasPrefix("/") && root.utf8.count <= 4_096 && !root.utf8.contains(0),
        "The root is not an absolute path. Answer with one, or with null if Read gives the bytes.")
    }
    try expect(
      facts.changeDetection == "watch" || facts.changeDetection == "rescan",
      """
      changeDetection is "\(IsolatedPlugin.plain(String(facts.changeDetection.prefix(40))))". Answer watch or \
      rescan.
      """)
    if let notice = facts.notice, notice.utf8.count > 512 || IsolatedPlugin.plain(notice) != notice {
      throw Complaint("The notice has more than 512 bytes or invisible characters. People read it: use printable text.")
    }
    try expect(
      process.call(Plugin.Facts.self, .init(), within: .seconds(10)) == facts,
      "The facts changed between two calls. Answer the same facts each time.")
    if facts.root == nil, let offered, !offered.contains(.read) {
      throw Complaint(
        "It has no root and does not offer read, so no photo could be read. Answer with a root, or offer read.")
    }
    found = facts
  }

  // MARK: The list

  /// Reads all pages of a list, with the broker's checks of each.
  func list(_ process: PluginProcess, folders: [Plugin.Folder]? = nil) throws -> [Plugin.Item] {
    var items: [Plugin.Item] = []
    var page: String?
    var unreadable: [String] = []
    var volumes: [StorageVolume] = []
    var meter = ListMeter(run.plugin.limits)
    repeat {
      let reply = try process.call(Plugin.Enumerate.self, .init(page: page, folders: folders), within: .seconds(60))
      items += reply.items
      try expect(reply.skipped >= 0, "skipped is negative. Count the files that exist and cannot be used.")
      unreadable += reply.unreadable ?? []
      volumes += (reply.volumes ?? []).map { StorageVolume(path: $0.path, identity: $0.identity) }
      if let complaint = ItemRules.complaint(unreadable: unreadable, volumes: volumes) { throw Complaint(complaint) }
      if let reason = meter.note(ItemPage(reply)) {
        throw Complaint("\(reason) Give each page a next of its own, and the last one none.")
      }
      page = reply.next
    } while page != nil
    return items
  }

  private func checkList() throws {
    _ = try facts()
    let process = try run.running()
    var items: [Plugin.Item] = []
    try run.measure("items") {
      items = try list(process)
      return items.count
    }
    var seen: Set<ExactText> = []
    for (place, item) in items.enumerated() {
      if let complaint = ItemRules.complaint(about: item) {
        throw Complaint("Item \(place + 1) of the list is invalid and would be left out. \(complaint)")
      }
      try expect(
        seen.insert(ExactText(item.files[0].locator)).inserted,
        "Item \(place + 1) of the list has the locator of an earlier item. List each photo once.")
    }
    try checkMarks(items)
    try checkTimes(items.flatMap(\.files).map(\.modified))
    listed = items
  }

  /// A constant version or hint looks right while nothing changes.
  private func checkMarks(_ items: [Plugin.Item]) throws {
    var byHint: [ExactText: Plugin.File] = [:]
    for (place, item) in items.enumerated() {
      guard let hint = item.files[0].identityHint else { continue }
      guard let other = byHint.updateValue(item.files[0], forKey: ExactText(hint)) else { continue }
      // Hard links to one file share its identity.
      try expect(
        other.size == item.files[0].size && ExactText(other.contentVersion) == ExactText(item.files[0].contentVersion),
        """
        Item \(place + 1) of the list has the identityHint of another item and other bytes, so an app with one \
        photo would see the other. Make identityHint unique, or null.
        """)
    }
    let originals = items.map { $0.files[0] }
    guard originals.count > 1, Set(originals.map { ExactText($0.contentVersion) }).count == 1,
      Set(originals.map(\.size)).count > 1
    else {
      return
    }
    throw Complaint(
      "All items have the same contentVersion, but their sizes differ. Change it whenever the bytes change."
    )
  }

  /// Times in another unit are in early 1970, or far in the future.
  private func checkTimes(_ times: [Int64]) throws {
    let known = times.filter { $0 != 0 }
    guard !known.isEmpty else { return }
    let isEarly = known.allSatisfy { (1..<Self.microsecondsIn1973).contains($0) }
    try expect(
      !isEarly && !known.allSatisfy({ $0 > Self.microsecondsIn2200 }),
      "The files were modified at the beginning of 1970, or after 2200. Count times in microseconds since 1970.")
  }

  private static let microsecondsIn1973: Int64 = 100_000_000_000_000
  private static let microsecondsIn2200: Int64 = 7_258_118_400_000_000

  private func same(_ process: PluginProcess) throws {
    let before = try items()
    let now = try list(process)
    guard now.count != before.count || Set(now) != Set(before) else { return }
    throw Complaint(
      """
      The list changed from \(before.count) to \(now.count) items, or in their versions or hints. Keep an unchanged \
      list equal.
      """
    )
  }

  private func pageThatNeverWas() throws {
    _ = try items()
    let process = try run.fresh()
    for token in ["no such page", "", "-1", "999999999999999999999", String(repeating: "9", count: 4_096)] {
      let reply: Plugin.Enumerate.Reply
      do {
        reply = try process.call(Plugin.Enumerate.self, .init(page: token), within: .seconds(60))
      } catch is PluginFailure { continue }
      try expect(
        !reply.items.isEmpty || reply.next != nil || items().isEmpty,
        "An unknown page was answered with an empty end, so all photos would look deleted. Answer with an error.")
    }
  }

  /// The broker may ask a new process for the next page of an ended one. An error is right, and so
  /// is the true rest.
  private func killedInAList() throws {
    let before = try items()
    let first = try run.fresh()
    let page = try first.call(Plugin.Enumerate.self, .init(), within: .seconds(60))
    first.end()
    let process = try run.fresh()
    guard var token = page.next else {
      try expect(
        Set(list(process)) == Set(before),
        "After its process was killed behind a list, the next list differs. Keep the list in the storage.")
      return
    }
    var items = page.items
    while true {
      let reply: Plugin.Enumerate.Reply
      do {
        reply = try process.call(Plugin.Enumerate.self, .init(page: token), within: .seconds(60))
      } catch is PluginFailure { break }
      items += reply.items
      guard let next = reply.next else {
        try expect(
          Set(items) == Set(before),
          """
          A new process continued a list, and the list is incomplete. Answer with an error, or put the whole \
          position into next.
          """)
        break
      }
      token = next
    }
    try expect(
      Set(list(process)) == Set(before),
      "After its process was killed in a list, the next list differs. Leave nothing half done.")
  }

  private func listOfFolders() throws {
    try must(.folders)
    let all = try items()
    let nowhere = try ask(["no-such-folder-here"], isDeep: true)
    guard nowhere.isEmpty else {
      if nowhere == all {
        throw Skip(
          "It lists everything when it is asked for a folder. This is allowed if it never reports changed folders.")
      }
      throw Complaint("A missing folder was listed with photos. Answer with an empty page.")
    }
    let folders = Set(all.map { StorageFolder(of: $0.files[0].locator).path }).sorted().prefix(4)
    for path in folders {
      for isDeep in [false, true] {
        let folder = StorageFolder(path: path, isDeep: isDeep)
        let found = try ask([path], isDeep: isDeep)
        try expect(
          Set(found) == Set(all.filter { folder.contains($0.files[0].locator) }),
          """
          Its list of \(isDeep ? "a folder and its subfolders" : "one folder") differs from that part of the whole \
          list.
          """)
      }
    }
  }

  private func ask(_ folders: [String], isDeep: Bool) throws -> [Plugin.Item] {
    do { return try list(run.running(), folders: folders.map { .init(path: $0, isDeep: isDeep) }) } catch let failure
      as PluginFailure
    {
      if failure.code == .unsupported { throw Skip("It always lists everything and answers unsupported to folders.") }
      throw failure
    }
  }

  // MARK: Waiting

  private func waitForNothing(_ process: PluginProcess) throws {
    let begin = MonotonicTime.now
    _ = try process.call(Plugin.WaitForChanges.self, .init(milliseconds: 0), within: .seconds(30))
    let passed = (MonotonicTime.now.nanoseconds - begin.nanoseconds) / 1_000_000
    try expect(passed < 2_000, "A wait of 0 ms took \(passed) ms. Answer at once.")
  }

  private func wait() throws {
    _ = try items()
    let process = try run.fresh()
    var begin = MonotonicTime.now
    func passed() -> Int64 { (MonotonicTime.now.nanoseconds - begin.nanoseconds) / 1_000_000 }
    let first = try process.call(Plugin.WaitForChanges.self, .init(milliseconds: 2_000), within: .seconds(32))
    try expect(
      first.changed && passed() < 2_000,
      "The first wait of a process must answer at once that something may have changed, so that missed changes are "
        + "found.")
    var early = 0
    // A real change may have happened a moment ago.
    for _ in 0..<3 {
      begin = .now
      let reply = try process.call(Plugin.WaitForChanges.self, .init(milliseconds: 500), within: .milliseconds(30_500))
      try expect(passed() < 5_500, "A wait of 500 ms took \(passed()) ms. Return at the end of the time.")
      if let folders = reply.folders {
        try expect(
          folders.count <= StorageFolder.listLimit && folders.allSatisfy({ ItemRules.isFolder($0.path) }),
          "It reported more than \(StorageFolder.listLimit) folders, or one is not a path below the storage.")
      }
      guard !reply.changed else { continue }
      // Close to the end, because an answer at once takes a while on a busy machine.
      if passed() < 450 { early += 1 } else { return try waitForNothing(process) }
    }
    if early > 0 {
      throw Complaint(
        """
        \(early) of 3 waits of 500 ms returned false at once, which causes endless calls. Return false at the end of \
        the time.
        """
      )
    }
    throw Complaint("It reports changes again and again, which causes endless scans. Report a change once.")
  }
}
