import Broker
import BrokerStore
import CSQLite
import PhotoModel
import StoreScript
import Synchronization
import Testing

@Suite struct LedgerTests {
  private let name = Samples.name(1)

  private func open(_ folder: TestFolder, capacity: Int = 1_000_000, delay: Int64 = 20) async throws -> SQLiteStore {
    let (store, contents) = try SQLiteStore.open(folder) {
      $0.ledgerCapacity = capacity
      $0.ledgerDelayMilliseconds = delay
    }
    if contents.libraries.isEmpty { #expect(await store.commit([.putLibrary(Samples.library(1))]) == nil) }
    return store
  }

  /// A copy of the state as after a crash at this moment.
  private func crashCopy(_ folder: TestFolder) throws -> TestFolder {
    let copy = try TestFolder()
    for file in try ["state.db", "state.db-wal", folder.floorName] { try folder.copy(file, to: copy) }
    return copy
  }

  @Test func `R139 entries are durable within a second by themselves, and a crash leaves a marked gap`()
    async throws
  {
    let folder = try TestFolder()
    let store = try await open(folder, delay: 500)
    for number in 0..<10 { #expect(store.record(Samples.entry(UInt64(number)), in: name)) }
    try await Task.sleep(for: .milliseconds(1_000))
    let crashed = try await open(try crashCopy(folder))
    let entries = try await crashed.ledger(of: name)
    #expect(entries.count == 11)
    #expect(entries.first?.isGap == true)
    #expect(Array(entries.dropFirst()) == (0..<10).reversed().map { Samples.entry(UInt64($0)) })
    #expect(await crashed.delivered(name, Samples.app(1)) == Delivered(assets: 10, bytes: 55))
    crashed.close()
    store.close()
    let clean = try await open(folder)
    #expect(try await clean.ledger(of: name).contains { $0.isGap } == false)
    clean.close()
  }

  @Test func `the ledger keeps the newest entries and all totals, and its seals hold after trimming`() async throws {
    let folder = try TestFolder()
    let store = try await open(folder, capacity: 500)
    for number in 0..<60 {
      for entry in 0..<30 { #expect(store.record(Samples.entry(UInt64(number * 30 + entry)), in: name)) }
      _ = await store.commit([.putSetting(name: "n", value: "\(number)")])
    }
    let kept = try await store.ledger(of: name)
    #expect((500..<530).contains(kept.count))
    #expect(kept == (0..<UInt64(1_800)).reversed().prefix(kept.count).map { Samples.entry($0) })
    #expect(try await store.ledgerPage(of: name, LedgerQuery(limit: 10)).wasTrimmed == false, "said on the last page")
    #expect(try await store.ledgerPage(of: name, LedgerQuery(limit: 5_000)).wasTrimmed)
    #expect(try await store.verifyLedger(of: name) == .intact(entries: kept.count))
    #expect(await store.delivered(name, Samples.app(1)) == Delivered(assets: 100, bytes: 1_800 * 1_801 / 2))
    #expect(try await store.ledger(of: name, app: Samples.app(9)).isEmpty)
    store.close()
    let again = try await open(folder, capacity: 500)
    #expect(try await again.verifyLedger(of: name) == .intact(entries: kept.count))
    #expect(await again.delivered(name, Samples.app(1)).assets == 100)
    again.close()
  }

  @Test(arguments: [
    """
    UPDATE ledger_blocks SET entries = zeroblob(length(entries))
    WHERE first = (SELECT first FROM ledger_blocks LIMIT 1 OFFSET 2)
    """,
    "DELETE FROM ledger_blocks WHERE first = (SELECT max(first) FROM ledger_blocks)",
    "DELETE FROM ledger_blocks WHERE first = (SELECT min(first) FROM ledger_blocks)",
    "DELETE FROM ledger_blocks WHERE first = (SELECT first FROM ledger_blocks LIMIT 1 OFFSET 2)",
    "UPDATE ledger_blocks SET head = zeroblob(32) WHERE first = (SELECT first FROM ledger_blocks LIMIT 1 OFFSET 2)",
    "UPDATE ledgers SET next_entry = next_entry + 1", "UPDATE ledgers SET anchor = randomblob(32)",
    "UPDATE ledgers SET head = randomblob(32)", "DELETE FROM ledgers",
    "DELETE FROM ledger_blocks; DELETE FROM ledgers",
    "DELETE FROM ledger_blocks; UPDATE ledgers SET next_entry = 1, anchor = zeroblob(32), head = zeroblob(32)",
    "UPDATE ledgers SET anchor = head; DELETE FROM ledger_blocks; UPDATE ledgers SET library = library",
    """
    UPDATE ledgers SET anchor = (SELECT head FROM ledger_blocks WHERE first = 1);
    DELETE FROM ledger_blocks WHERE first = 1
    """,
    """
    UPDATE ledgers SET next_entry = 50, head = (SELECT head FROM ledger_blocks WHERE first = 49);
    DELETE FROM ledger_blocks WHERE first = 50
    """,
    """
    INSERT INTO ledger_blocks (library, first, last, head, entries)
    SELECT library, 60, 60, head, entries FROM ledger_blocks WHERE first = 7
    """,
    // Two blocks change places.
    """
    UPDATE ledger_blocks SET entries = (SELECT entries FROM ledger_blocks AS other WHERE other.first = 7)
    WHERE first = 6
    """,
  ]) func `an edited or truncated ledger is detected`(_ edit: String) async throws {
    let folder = try TestFolder()
    let store = try await open(folder)
    for number in 0..<50 {
      #expect(store.record(Samples.entry(UInt64(number)), in: name))
      _ = await store.commit([.putSetting(name: "n", value: "\(number)")])
    }
    #expect(try await store.verifyLedger(of: name) == .intact(entries: 50))
    store.close()
    var database: OpaquePointer?
    try #require(sqlite3_open(folder.file("state.db"), &database) == SQLITE_OK)
    try #require(sqlite3_exec(database, edit, nil, nil, nil) == SQLITE_OK && sqlite3_changes(database) == 1)
    sqlite3_close(database)
    let again = try await open(folder)
    guard case .damaged = try await again.verifyLedger(of: name) else {
      Issue.record("not found out")
      return
    }
    again.close()
  }

  @Test func `trimming during a check is no damage`() async throws {
    let folder = try TestFolder()
    let store = try await open(folder, capacity: 500)
    let verdicts = Mutex<[LedgerVerdict?]>([])
    for number in 0..<3_000 {
      #expect(store.record(Samples.entry(UInt64(number)), in: name))
      _ = await store.commit([.putSetting(name: "n", value: "\(number)")])
      guard number >= 600, number % 50 == 0 else { continue }
      store.verifyLedger(of: name) { result in verdicts.withLock { $0.append(try? result.get()) } }
    }
    while verdicts.withLock({ $0.count }) < 48 { try await Task.sleep(for: .milliseconds(1)) }
    for verdict in verdicts.withLock({ $0 }) {
      guard case .intact = verdict else {
        Issue.record("\(String(describing: verdict))")
        return
      }
    }
    store.close()
  }

  @Test func `entries of a removed library are left out and do no harm`() async throws {
    let folder = try TestFolder()
    let store = try await open(folder)
    #expect(store.record(Samples.entry(1), in: Samples.name(7)))
    #expect(store.record(Samples.entry(2), in: name))
    #expect(try await store.ledger(of: name) == [Samples.entry(2)])
    store.close()
  }

  @Test func `R157 a start gives the last day's deliveries of grants with an allowance`() async throws {
    let folder = try TestFolder()
    let store = try await open(folder)
    let key = Samples.key(1, 1)
    var limited = Samples.grant(key, epoch: 1)
    var full = Samples.grant(Samples.key(1, 2), epoch: 2, status: .authorized)
    (limited.live, full.live) = (nil, nil)
    let tokens = [limited, full].map {
      TokenRecord(accessor: $0.accessor, app: $0.key.app, grant: $0.key, minted: Samples.time(1), isRevoked: false)
    }
    let changes: [StoreChange] = [.putApp(Samples.appRecord(1)), .putApp(Samples.appRecord(2)), .putGrant(limited)]
    #expect(await store.commit(changes + [.putGrant(full)] + tokens.map { .putToken($0) }) == nil)
    func entry(_ second: UInt64, app: UInt64 = 1, rendition: String = "original") -> LedgerRecord {
      Samples.entry(second, app: app, rendition: rendition)
    }
    var picked = entry(200_002)
    picked.accessor = Samples.accessor(99)
    let given = [
      entry(1), entry(100_000), entry(200_000), entry(200_001, rendition: "metadata"), picked, entry(200_003, app: 2),
      entry(200_004),
    ]
    for entry in given {
      #expect(store.record(entry, in: name))
      // A block each.
      #expect(await store.commit([.putSetting(name: "n", value: "\(entry.time)")]) == nil)
    }
    store.close()
    func found() throws -> [LedgerRecord] {
      let (again, contents) = try SQLiteStore.open(folder) { _ in }
      defer { again.close() }
      return contents.libraries.first?.deliveries ?? []
    }
    #expect(try found() == [entry(200_000), entry(200_004)])
    let (again, _) = try SQLiteStore.open(folder) { _ in }
    let decider = Decider(uid: 7, role: .owner, origin: "o", source: .allowance)
    let pause = DecisionRecord(
      time: Samples.time(200_001), by: decider, action: "pause", library: name, app: key.app, level: key.level,
      before: "", after: "paused")
    #expect(await again.commit([.decide(pause)]) == nil)
    // The clock was set back by two days.
    #expect(again.record(entry(30_000), in: name))
    again.close()
    #expect(try found() == [entry(200_004)])
  }
}
