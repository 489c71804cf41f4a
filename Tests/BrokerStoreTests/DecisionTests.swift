import Broker
import CSQLite
import Catalogue
import Glibc
import PhotoModel
import StoreScript
import Testing

@testable import BrokerStore

@Suite struct DecisionTests {
  @Test
  func
    `R131 the newest decisions are kept, fewer of them so that they can be undone, and a neighbour's are left alone`()
    async throws
  {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) {
      $0.decisionCapacity = 300
      $0.undoCapacity = 20
    }
    _ = await store.commit([.putLibrary(Samples.library(1)), .putLibrary(Samples.library(2))])
    _ = await store.commit([.decide(Samples.decision(Samples.key(2, 1), 1), change: Samples.change(1))])
    for number in 0..<256 * 3 {
      _ = await store.commit([
        .decide(Samples.decision(Samples.key(1, 1), UInt64(number)), change: Samples.change(UInt64(number)))
      ])
    }
    let kept = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(1)], limit: .max)).entries
    #expect(kept.count == 300 && kept.first?.record == Samples.decision(Samples.key(1, 1), 767))
    #expect(kept.count { $0.change != nil } == 20 && kept.prefix(20).allSatisfy { $0.change != nil })
    let other = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(2)], limit: .max)).entries
    #expect(other.map { $0.change != nil } == [true])
    store.close()
  }

  @Test func `R131 records of apps and their users displace no owner's decision`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) { $0.decisionCapacity = 100 }
    _ = await store.commit([.putLibrary(Samples.library(1)), .decide(Samples.decision(Samples.key(1, 1), 1))])
    for number in 0..<256 * 2 {
      let role: DecisionRole = number % 2 == 0 ? .app : .user
      let record = DecisionRecord(
        time: Samples.time(UInt64(number)), by: Decider(uid: 9, role: role, origin: "o"), action: "decline",
        library: Samples.name(1),
        before: "a", after: "b \(number)")
      _ = await store.commit([.decide(record)])
    }
    let kept = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(1)], limit: .max)).entries.map(
      \.record)
    #expect(kept.last == Samples.decision(Samples.key(1, 1), 1))
    #expect(kept.count(where: { $0.role != .administrator }) < 100 / 10 + 256 && kept.first?.after == "b 511")
    store.close()
  }

  @Test func `R131 records of one user or app displace no other's`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) { $0.decisionCapacity = 3_000 }
    func enter(
      _ role: DecisionRole, by uid: UInt32, of app: AppIdentifier? = nil, _ after: String, in library: UInt64 = 1
    ) async {
      _ = await store.commit([
        .decide(
          DecisionRecord(
            time: Samples.time(1), by: Decider(uid: uid, role: role, origin: "o"), action: "a",
            library: Samples.name(library), app: app,
            before: "", after: after))
      ])
    }
    _ = await store.commit([.putLibrary(Samples.library(1)), .putLibrary(Samples.library(2))])
    await enter(.user, by: 8, "another user's")
    await enter(.user, by: 9, "the same user's elsewhere", in: 2)
    await enter(.app, by: 9, of: Samples.app(1), "another app's")
    for number in 0..<100 {
      await enter(.user, by: 9, "u\(number)")
      await enter(.app, by: 9, of: Samples.app(2), "a\(number)")
    }
    func kept(_ library: UInt64) async throws -> [String] {
      try await store.decisionPage(DecisionQuery(libraries: [Samples.name(library)], limit: .max)).entries.map(
        \.record.after)
    }
    let left = try await kept(1)
    #expect(left.filter { $0.hasPrefix("u") } == (70..<100).reversed().map { "u\($0)" })
    #expect(left.filter { $0.hasPrefix("a") && !$0.hasPrefix("another") } == (70..<100).reversed().map { "a\($0)" })
    #expect(left.suffix(2) == ["another app's", "another user's"])
    #expect(try await kept(2) == ["the same user's elsewhere"])
    // A user's apps share a quota, however many apps there are.
    for number in 0..<320 { await enter(.app, by: 9, of: Samples.app(UInt64(10 + number)), "more") }
    #expect(try await kept(1).count { $0 == "more" } == 300)
    #expect(try await kept(1).last == "another user's")
    store.close()
  }

  @Test func `R131 decisions about removed libraries and about none are bounded per user`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) { $0.decisionCapacity = 200 }
    func record(_ uid: UInt32, _ library: LibraryName?, _ after: String) -> DecisionRecord {
      DecisionRecord(
        time: Samples.time(1), by: Decider(uid: uid, role: .owner, origin: "o"), action: "a", library: library,
        before: "", after: after)
    }
    _ = await store.commit([
      .putLibrary(Samples.library(1)), .decide(record(8, Samples.name(1), "another user's")),
      .removeLibrary(Samples.name(1)),
      .decide(record(8, nil, "about none")),
    ])
    // The library is added and removed repeatedly, and decisions are also entered after its
    // removal.
    for number in 0..<30 {
      _ = await store.commit([.putLibrary(Samples.library(2)), .decide(record(9, Samples.name(2), "there \(number)"))])
      _ = await store.commit([.removeLibrary(Samples.name(2)), .decide(record(9, Samples.name(2), "gone \(number)"))])
      _ = await store.commit([.decide(record(9, nil, "app \(number)"), change: DecisionChange(.addedApp))])
    }
    func left() async throws -> [String] {
      try await store.decisionPage(DecisionQuery(limit: .max)).entries.map(\.record.after)
    }
    // Decisions of removed libraries are trimmed when the store is idle.
    var kept = try await left()
    for _ in 0..<1_000 where kept.count > 20 + 20 + 2 {
      try await Task.sleep(for: .milliseconds(10))
      kept = try await left()
    }
    #expect(
      kept.filter { $0.hasPrefix("there") || $0.hasPrefix("gone") }
        == (20..<30).reversed().flatMap { ["gone \($0)", "there \($0)"] })
    #expect(kept.filter { $0.hasPrefix("app") } == (10..<30).reversed().map { "app \($0)" })
    #expect(kept.contains("another user's") && kept.contains("about none"))
    store.close()
    var database: OpaquePointer?
    try #require(sqlite3_open(folder.file("state.db"), &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    var statement: OpaquePointer?
    try #require(
      sqlite3_prepare_v2(database, "SELECT count(*) FROM decision_changes", -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    #expect(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int64(statement, 0) == 20)
  }

  @Test func `R131 undoable records of apps displace no undo of an owner's decision`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) { $0.undoCapacity = 200 }
    _ = await store.commit([
      .putLibrary(Samples.library(1)), .decide(Samples.decision(Samples.key(1, 1), 1), change: Samples.change(1)),
    ])
    for number in 0..<256 * 2 {
      let record = DecisionRecord(
        time: Samples.time(UInt64(number)), by: Decider(uid: 9, role: .app, origin: "o"), action: "album",
        library: Samples.name(1),
        before: "a", after: "b \(number)")
      _ = await store.commit([.decide(record, change: DecisionChange(.addedApp))])
    }
    let kept = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(1)], limit: .max)).entries
    #expect(kept.last?.change != nil && kept.last?.record == Samples.decision(Samples.key(1, 1), 1))
    #expect(kept.count { $0.change != nil && $0.record.role == .app } == 20)
    store.close()
  }

  @Test func `R152 an app's changes of photos are bounded, and displace nothing else`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) { $0.undoCapacity = 20 }
    _ = await store.commit([.putLibrary(Samples.library(1))])
    func enter(_ count: Int, by app: UInt64, of user: UInt32, _ action: String = "editPhoto") async {
      let values = AssetValues(
        asset: AssetNumber(1), isFavourite: false,
        date: AssetValues.Date(creation: nil, origin: nil, zoneMinutes: nil, placeShiftMinutes: 0), location: nil,
        caption: "a")
      var after = values
      after.caption = "b"
      let change =
        action == "editPhoto"
        ? DecisionChange(.asset(ValueChange(values, after)))
        : DecisionChange(.album(ValueChange(Self.album(1), nil)), [Self.member])
      let record = DecisionRecord(
        time: Samples.time(1), by: Decider(uid: user, role: .app, origin: "o"), action: action,
        library: Samples.name(1), app: AppIdentifier(high: 0, low: app), before: "", after: "asset")
      _ = await store.commit((0..<count).map { _ in .decide(record, change: change) })
    }
    await enter(1, by: 1, of: 9, "album")
    await enter(1, by: 7, of: 8)
    for app in 1...4 { await enter(300, by: UInt64(app), of: 9) }
    let kept = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(1)], limit: .max)).entries
    #expect(kept.allSatisfy { $0.change != nil })
    #expect(kept.count { $0.record.action == "album" } == 1 && kept.count { $0.record.actor == 8 } == 1)
    let ofApps = (1...4).map { app in
      kept.count { $0.record.action == "editPhoto" && $0.record.app == AppIdentifier(high: 0, low: UInt64(app)) }
    }
    // Trims come after each sixteenth of the quota.
    #expect(ofApps.allSatisfy { $0 <= 212 } && (400...412).contains(ofApps.reduce(0, +)) && ofApps[3] >= 200)
    store.close()
  }

  @Test func `R131 records of apps displace no undo of their own album edits`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) {
      $0.undoCapacity = 50
      $0.decisionCapacity = 2_000
    }
    _ = await store.commit([.putLibrary(Samples.library(1))])
    let facts = Self.album(1)
    func enter(_ after: String, deletes: Bool) async {
      let change = DecisionChange(.album(ValueChange(facts, deletes ? nil : facts)), [Self.member])
      let record = DecisionRecord(
        time: Samples.time(1), by: Decider(uid: 9, role: .app, origin: "o"), action: "album", library: Samples.name(1),
        app: AppIdentifier(high: 0, low: 1), before: "a", after: after)
      _ = await store.commit([.decide(record, change: change)])
    }
    for number in 0..<5 { await enter("deleted \(number)", deletes: true) }
    for number in 0..<200 { await enter("added \(number)", deletes: false) }
    func kept() async throws -> [KeptDecision] {
      try await store.decisionPage(DecisionQuery(libraries: [Samples.name(1)], limit: .max)).entries
    }
    let after = try await kept()
    #expect(after.filter { $0.record.after.hasPrefix("deleted") }.count { $0.change != nil } == 5)
    #expect(after.count { $0.change != nil } == 5 + 5 && after.count == 5 + 20)
    // Deletions have a quota of their own.
    for number in 5..<60 { await enter("deleted \(number)", deletes: true) }
    #expect(try await kept().count { $0.change != nil && $0.record.after.hasPrefix("deleted") } == 50)
    store.close()
  }

  @Test func `R131 rules' answers to apps displace no owner's decision`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) {
      $0.undoCapacity = 50
      $0.decisionCapacity = 500
    }
    _ = await store.commit([
      .putLibrary(Samples.library(1)), .decide(Samples.decision(Samples.key(1, 1), 1), change: Samples.change(1)),
    ])
    for number in 0..<600 {
      let record = DecisionRecord(
        time: Samples.time(UInt64(number)), by: Decider(uid: 9, role: .rule, origin: "scanners", source: .rule),
        action: "deny",
        library: Samples.name(1), app: AppIdentifier(high: 1, low: UInt64(number / 20)), before: "a",
        after: "b \(number)")
      _ = await store.commit([.decide(record, change: Samples.change(UInt64(number)))])
    }
    let kept = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(1)], limit: .max)).entries
    #expect(kept.last?.change != nil && kept.last?.record == Samples.decision(Samples.key(1, 1), 1))
    let ofRules = kept.filter { $0.record.role == .rule }
    #expect(ofRules.count == 50 && ofRules.first?.record.after == "b 599", "a hundredth for each app, a tenth for all")
    #expect(ofRules.count { $0.change != nil } == 50)
    store.close()
  }

  @Test func `R131 rules' answers to one user's apps displace no answers to another's`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) {
      $0.undoCapacity = 50
      $0.decisionCapacity = 500
    }
    var (quiet, busy) = (Samples.appRecord(1), Samples.appRecord(2))
    (quiet.uid, busy.uid) = (2_001, 2_002)
    _ = await store.commit([.putLibrary(Samples.library(1)), .putApp(quiet)])
    func answer(_ app: AppIdentifier, _ number: UInt64) async {
      let record = DecisionRecord(
        time: Samples.time(number), by: Decider(uid: 9, role: .rule, origin: "scanners", source: .rule), action: "deny",
        library: Samples.name(1), app: app, before: "a", after: "b \(number)")
      _ = await store.commit([.decide(record, change: Samples.change(number))])
    }
    await answer(quiet.identifier, 1)
    for number in UInt64(2)..<400 {
      busy.identifier = AppIdentifier(high: 2, low: number)
      busy.accessor = Samples.accessor(number + 1_000)
      _ = await store.commit([.putApp(busy)])
      await answer(busy.identifier, number)
      _ = await store.commit([.removeApp(busy.identifier)])
    }
    let kept = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(1)], limit: .max)).entries
    #expect(kept.count == 51 && kept.last?.record.after == "b 1" && kept.last?.change != nil)
    store.close()
  }

  @Test func `R131 an album decision is overridden by later changes of that album only`()
    async throws
  {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    _ = await store.commit([.putLibrary(Samples.library(1))])
    func enter(_ album: UInt64, by app: UInt64?) async -> UInt64 {
      let number = DecisionNumber()
      let facts = Self.album(album)
      let change = DecisionChange(.album(ValueChange(facts, facts)), [Self.member])
      let record = DecisionRecord(
        time: Samples.time(1), by: Decider(uid: 9, role: app == nil ? .owner : .app, origin: "o"), action: "album",
        library: Samples.name(1), app: app.map { AppIdentifier(high: 0, low: $0) }, before: "a", after: "b")
      _ = await store.commit([.decide(record, change: change, number: number)])
      return number.value ?? 0
    }
    let first = await enter(1, by: nil)
    _ = await enter(2, by: 1)
    #expect(try await store.decision(first)?.overriddenBy == nil)
    let second = await enter(1, by: 1)
    #expect(try await store.decision(first)?.overriddenBy == second)
    let third = await enter(1, by: 2)
    #expect(try await store.decision(second)?.overriddenBy == third)
    store.close()
  }

  @Test func `R28 R131 the words of the latest answers are kept, and a grant keeps its own`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder) {
      $0.decisionCapacity = 300
      $0.wordsCapacity = 20
    }
    _ = await store.commit([
      .putLibrary(Samples.library(1)), .putLibrary(Samples.library(2)), .putApp(Samples.appRecord(1)),
    ])
    _ = await store.commit([
      .putGrant(Samples.grant(Samples.key(1, 1), epoch: 4)), .decide(Samples.decision(Samples.key(2, 1), 1)),
    ])
    for number in 0..<256 * 3 { _ = await store.commit([.decide(Samples.decision(Samples.key(1, 1), UInt64(number)))]) }
    let kept = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(1)], limit: .max)).entries.map(
      \.record)
    #expect(kept.count == 300 && kept.first == Samples.decision(Samples.key(1, 1), 767))
    let latest: [ShownWords] = kept.prefix(30).compactMap(\.words)
    #expect(latest.count == 20 && latest.first == Samples.words(767) && latest.last == Samples.words(739))
    #expect(kept.dropFirst(30).allSatisfy { $0.words == nil })
    let other = try await store.decisionPage(DecisionQuery(libraries: [Samples.name(2)], limit: .max)).entries
    #expect(other.map(\.record.words) == [Samples.words(1)])
    #expect(try await store.decision(other[0].number)?.record.words == Samples.words(1))
    // The words of a removed library stay as long as its decisions.
    _ = await store.commit([.removeLibrary(Samples.name(2)), .removeApp(Samples.app(1))])
    let last = try await store.decisionPage(DecisionQuery(limit: .max)).entries.last?.record
    #expect(last == Samples.decision(Samples.key(2, 1), 1))
    store.close()
  }

  @Test func `R28 a grant names its answer after a restart`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    let key = Samples.key(1, 1)
    _ = await store.commit([
      .putLibrary(Samples.library(1)), .putApp(Samples.appRecord(1)), .putGrant(Samples.grant(key, epoch: 4)),
    ])
    store.close()
    let (again, contents) = try SQLiteStore.open(folder)
    #expect(contents.grants.first?.agreement == Samples.agreement(4))
    _ = await again.commit([.putGrant(Samples.grant(key, epoch: 3))])
    again.close()
    let (last, edited) = try SQLiteStore.open(folder)
    #expect(edited.grants.count == 1 && edited.grants.first?.agreement == nil)
    last.close()
  }

  @Test func `R131 an overriding decision is found, however many followed it`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    _ = await store.commit([.putLibrary(Samples.library(1)), .putLibrary(Samples.library(2))])
    let (mine, others) = (Samples.key(1, 1), [Samples.key(1, 2), Samples.key(2, 1)])
    func enter(_ key: GrantKey, _ statuses: (AuthorizationStatus, AuthorizationStatus), undoing earlier: UInt64? = nil)
      async throws
      -> UInt64
    {
      var record = Samples.decision(key, 1)
      record.undoes = earlier
      func rights(_ status: AuthorizationStatus) -> GrantRights {
        GrantRights(status: status, isPaused: false, expires: nil, albumPolicy: "own")
      }
      let number = DecisionNumber()
      let change = DecisionChange(.grant(ValueChange(rights(statuses.0), rights(statuses.1))))
      _ = await store.commit([.decide(record, change: change, number: number)])
      return try #require(number.value)
    }
    let first = try await enter(mine, (.limited, .denied))
    for _ in 0..<40 { for key in others { _ = try await enter(key, (.limited, .denied)) } }
    #expect(try await store.decision(first)?.overriddenBy == nil, "others' grants are others'")
    for _ in 0..<40 { _ = try await enter(mine, (.denied, .denied)) }
    #expect(try await store.decision(first)?.overriddenBy == nil, "they set no status")
    let back = try await enter(mine, (.denied, .limited))
    let again = try await enter(mine, (.limited, .denied))
    for _ in 0..<40 { _ = try await enter(mine, (.denied, .denied)) }
    #expect(try await store.decision(first)?.overriddenBy == again)
    let undo = try await enter(mine, (.denied, .limited), undoing: again)
    #expect(try await store.decision(first)?.overriddenBy == back)
    _ = try await enter(mine, (.limited, .denied), undoing: back)
    #expect(try await store.decision(first)?.overriddenBy == nil)
    _ = try await enter(mine, (.limited, .denied), undoing: undo)
    #expect(try await store.decision(first)?.overriddenBy == again, "its undo was undone")
    store.close()
  }

  @Test func `a list of decisions omits their assets, and a truncated record is damage`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    _ = await store.commit([.putLibrary(Samples.library(1))])
    let change = DecisionChange(.album(ValueChange(nil, Self.album(1))), [Self.member])
    var record = Samples.decision(Samples.key(1, 1), 1)
    record.undoes = nil
    _ = await store.commit([.decide(record, change: change)])
    let listed = try #require(try await store.decisionPage(DecisionQuery(limit: 1)).entries.first)
    #expect(listed.change?.object == change.object && listed.change?.assets == [])
    #expect(try await store.decision(listed.number)?.change == change)
    store.close()
    for number in UInt64(0)..<18 {
      let change = Samples.change(number)
      let bytes = RecordCoder.encode(change.object, RecordCoder.object)
      #expect(RecordCoder.decode(bytes, RecordCoder.object) == change.object)
      for length in bytes.indices {
        #expect(RecordCoder.decode(Array(bytes.prefix(length)), RecordCoder.object) == nil)
      }
      #expect(RecordCoder.decode(bytes + [0], RecordCoder.object) == nil)
    }
  }

  private static func album(_ number: UInt64) -> AlbumFacts {
    AlbumFacts(
      identifier: AlbumIdentifier(high: 1, low: number), title: "a", isShared: false, creator: nil,
      source: .userLibrary, created: Samples.time(1))
  }
  private static let member = AssetChange(added: AssetNumbers([AssetNumber(1)]).encoded)

  @Test func `R129 decisions' numbers follow the clock and count nothing`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    _ = await store.commit([.putLibrary(Samples.library(1)), .putLibrary(Samples.library(2))])
    func enter(_ library: UInt64, at seconds: Int64) async throws -> UInt64 {
      var record = Samples.decision(Samples.key(library, 1), 1)
      record.time = try #require(Timestamp(seconds: seconds))
      _ = await store.commit([.decide(record)])
      return try #require(
        try await store.decisionPage(DecisionQuery(libraries: [Samples.name(library)], limit: 1)).entries.first?.number)
    }
    let first = try await enter(1, at: 1_600_000_000)
    #expect(first == 1_600_000_000_000_000)
    for _ in 0..<5 { _ = try await enter(2, at: 1_600_000_000) }
    #expect(try await enter(1, at: 1_600_000_100) == 1_600_000_100_000_000, "whatever others decided meanwhile")
    // After the clock was set back, numbers still rise, and still do not count.
    var steps: Set<UInt64> = []
    var last: UInt64 = 1_600_000_100_000_000
    for _ in 0..<10 {
      let next = try await enter(1, at: 1_000_000_000)
      #expect(next > last)
      steps.insert(next &- last)
      last = next
    }
    #expect(steps.count > 1)
    store.close()
  }
}
