import Broker
@testable import BrokerStore
import CSQLite
import Catalogue
import Foundation
import Glibc
import PhotoModel
import StoreScript
import Testing

/// Backup while the broker works, and restore while it does not (R144).
@Suite struct BackupTests {
  private let key = Samples.key(1, 1)

  private func filled(_ folder: TestFolder, assets: UInt32 = 2_000) async throws -> SQLiteStore {
    let (store, _) = try SQLiteStore.open(folder)
    #expect(
      await store.commit([
        .putLibrary(Samples.library(1)), .putApp(Samples.appRecord(1)), .putGrant(Samples.grant(key, epoch: 1)),
      ]) == nil)
    #expect(await store.commit((0..<assets).map { .putAsset(Samples.name(1), Samples.asset($0)) }) == nil)
    #expect(await store.commit([.putSetting(name: SettingName.epochFloor, value: "1")]) == nil)
    return store
  }

  private typealias Outcome = Result<BackupFile, StoreFailure>

  /// Begins a backup; `end` awaits its outcome.
  private func begin(_ store: SQLiteStore) -> AsyncStream<Outcome> {
    let (outcome, done) = AsyncStream.makeStream(of: Outcome.self)
    store.backUp {
      done.yield($0)
      done.finish()
    }
    return outcome
  }

  private func end(_ begun: AsyncStream<Outcome>) async throws -> BackupFile {
    for await outcome in begun { return try outcome.get() }
    throw CancellationError()
  }

  private func backUp(_ store: SQLiteStore) async throws -> BackupFile { try await end(begin(store)) }

  private func outside(_ folder: TestFolder) throws -> String? {
    let (store, contents) = try SQLiteStore.open(folder)
    store.close()
    return contents.settings[SettingName.outsideEpochFloor]
  }

  @Test func `R144 a backup during commits holds everything committed before it and is restored whole`()
    async throws
  {
    let (folder, other) = (try TestFolder(), try TestFolder())
    let store = try await filled(folder)
    let copy = begin(store)
    for number in UInt32(2_000)..<2_060 {
      #expect(await store.commit([.putAsset(Samples.name(1), Samples.asset(number))]) == nil)
    }
    let file = try await end(copy)
    #expect(!FileManager.default.fileExists(atPath: folder.file("backup")))
    #expect(try await store.assets(of: Samples.name(1)).count == 2_060)
    store.close()

    _ = try StateMaintenance.restore(from: file.number, into: other.path)
    let (restored, contents) = try SQLiteStore.open(other)
    #expect(contents.grants.map(\.key) == [key])
    let count = try await restored.assets(of: Samples.name(1)).count
    #expect((2_000...2_060).contains(count))
    // On another machine, revocations since the backup cannot be known.
    #expect(contents.settings[SettingName.outsideEpochFloor] == "2")
    restored.close()
  }

  @Test func `R144 unfinished additions in a backup are ignored after a restore`()
    async throws
  {
    let folder = try TestFolder()
    let store = try await filled(folder)
    let (additions, volumes) = (SettingName.additions + "photos", SettingName.volumes + "photos")
    #expect(
      await store.commit([
        .putSetting(name: additions, value: "1\t2\t00\t61\t-"), .putSetting(name: volumes, value: "x\ty"),
      ]) == nil)
    let file = try await backUp(store)
    store.close()
    let (kept, before) = try SQLiteStore.open(folder)
    #expect(before.settings[additions] != nil, "the broker itself goes on from it")
    kept.close()
    _ = try StateMaintenance.restore(from: file.number, into: folder.path)
    let (restored, contents) = try SQLiteStore.open(folder)
    #expect(contents.settings[additions] == nil && contents.settings[volumes] == "x\ty")
    restored.close()
  }

  private func bytes(_ file: BackupFile) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(file.size))
    try #require(pread(file.number, &bytes, bytes.count, 0) == bytes.count)
    return bytes
  }

  /// Restores these bytes in a new folder.
  private func restore(_ bytes: [UInt8]) throws -> StateMaintenance.Restored {
    let (folder, other) = (try TestFolder(), try TestFolder())
    try Data(bytes).write(to: URL(filePath: folder.file("given")))
    let given = open(folder.file("given"), O_RDONLY)
    defer { close(given) }
    return try StateMaintenance.restore(from: given, into: other.path)
  }

  @Test func `R144 a backup damaged anywhere is refused, and a missing digest is reported`()
    async throws
  {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 200)
    #expect(
      await store.commit([
        .putSelection(key, chunks: AssetNumbers([AssetNumber(0)]).encoded.map { ($0.index, $0.bytes) })
      ]) == nil)
    let whole = try bytes(try await backUp(store))
    store.close()
    #expect(try restore(whole).isSealed)
    // Most of a database is read by nothing but the seal.
    for offset in Array(stride(from: 7, to: whole.count, by: 997)) + Array(whole.count - 120..<whole.count) {
      var damaged = whole
      damaged[offset] ^= 0x20
      #expect(throws: StoreError(.corrupt), "byte \(offset)") { try restore(damaged) }
    }
    for length in [whole.count - 1, whole.count - 60, 4_096, 0] {
      #expect(throws: StoreError.self, "\(length) bytes") { try restore(Array(whole.prefix(length))) }
    }
    let plain = Array(whole.prefix(whole.count / 4_096 * 4_096))
    #expect(try !restore(plain).isSealed)
  }

  @Test func `R144 a restore accepts only a state that can be started`() async throws {
    for edit in [
      "UPDATE selections SET members = x'ff'", "UPDATE grants SET role = 'nobody'", "UPDATE apps SET accessor = x'00'",
      "UPDATE grants SET status = 9",
    ] {
      let folder = try TestFolder()
      let store = try await filled(folder, assets: 20)
      let chunks = AssetNumbers([AssetNumber(0), AssetNumber(1)]).encoded.map { ($0.index, $0.bytes) }
      #expect(await store.commit([.putSelection(key, chunks: chunks)]) == nil)
      store.close()
      var database: OpaquePointer?
      try #require(sqlite3_open(folder.file("state.db"), &database) == SQLITE_OK)
      try #require(sqlite3_exec(database, edit, nil, nil, nil) == SQLITE_OK && sqlite3_changes(database) == 1)
      sqlite3_close(database)
      let plain = Array(try Data(contentsOf: URL(filePath: folder.file("state.db"))))
      #expect(throws: StoreError(.corrupt), "\(edit)") { try restore(plain) }
    }
  }

  @Test func `R144 a restore on the same machine pauses everything exactly if something was revoked since`()
    async throws
  {
    for takesAway in [false, true] {
      let folder = try TestFolder()
      let store = try await filled(folder)
      let file = try await backUp(store)
      #expect(await store.commit([.putAsset(Samples.name(1), Samples.asset(5_000))]) == nil)
      if takesAway { #expect(await store.commit([.putSetting(name: SettingName.epochFloor, value: "2")]) == nil) }
      store.close()
      _ = try StateMaintenance.restore(from: file.number, into: folder.path)
      #expect(try outside(folder) == (takesAway ? "2" : nil))
      #expect(FileManager.default.fileExists(atPath: folder.file("state.db.before-restore")))
    }
  }

  @Test func `R13 R144 marks set since the backup stay after a restore`() async throws {
    let away: AssetFlags = [.hidden, .neverShare]
    func setFlags(_ number: UInt32, _ flags: AssetFlags) -> StoreChange {
      var row = Samples.row(number)
      row.flags = flags
      return .updateRow(Samples.name(1), row, edited: [])
    }
    for isDamaged in [false, true] {
      let folder = try TestFolder()
      let store = try await filled(folder, assets: 10)
      #expect(await store.commit((0..<10).map { setFlags($0, $0 == 1 ? .hidden : $0 == 2 ? .favourite : []) }) == nil)
      let file = try await backUp(store)
      #expect(
        await store.commit([setFlags(1, .neverShare), setFlags(2, .hidden), setFlags(3, [.neverShare, .favourite])])
          == nil)
      store.close()
      if isDamaged { try overwrite(folder.file("state.db"), at: 0, with: Array(repeating: 0xff, count: 4_096)) }
      let versions = try StateMaintenance.restore(from: file.number, into: folder.path)
      #expect(versions.merged?.marked == (isDamaged ? nil : 3))
      let (restored, _) = try SQLiteStore.open(folder)
      let flags = try await restored.assets(of: Samples.name(1)).sorted {
        $0.row.number.rawValue < $1.row.number.rawValue
      }.map(\.row.flags)
      restored.close()
      #expect(flags[4...].allSatisfy { $0.isDisjoint(with: away) })
      #expect(
        flags[1...3].map { $0 }
          == (isDamaged ? [.hidden, .favourite, []] : [[.hidden, .neverShare], [.favourite, .hidden], .neverShare]),
        "both marks of the one, and nothing else of the present state")
    }
  }

  @Test func `R13 R144 files of marked photos that came since the backup are withheld after a restore`()
    async throws
  {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 3)
    let file = try await backUp(store)
    func plain(_ number: UInt32) -> AssetRecord {
      var asset = Samples.asset(number)
      asset.row.flags = []
      return asset
    }
    // Two new assets, one of them never-share; and a library that the backup lacks.
    var secret = Samples.asset(3)
    secret.row.flags = [.neverShare, .favourite]
    let (name, other) = (Samples.name(1), Samples.name(9))
    #expect(await store.commit([.putAsset(name, secret), .putAsset(name, plain(4))]) == nil)
    var hidden = Samples.asset(7)
    hidden.row.flags = .hidden
    #expect(await store.commit([.putLibrary(Samples.library(9)), .putAsset(other, hidden)]) == nil)
    store.close()
    // The second restore of the same backup, before any start, must still merge the state that the
    // first one replaced. The third merges what the second one restored.
    for (starts, counts) in [(false, [1, 1]), (true, [1, 1]), (true, [0, 0])] {
      let merged = try StateMaintenance.restore(from: file.number, into: folder.path).merged
      lseek(file.number, 0, SEEK_SET)
      let (restored, contents) = try SQLiteStore.open(folder)
      if starts { #expect(await restored.commit([.putSetting(name: SettingName.restored, value: "")]) == nil) }
      #expect(try await restored.assets(of: name).count == 3)
      #expect(contents.libraries.map(\.record.name).contains(other) == false)
      let files = secret.resources.filter { $0.role != .sidecar }
      let found = try await restored.detached(like: files, in: name)
      #expect(found.count == files.count && found.allSatisfy { $0.marks == .neverShare && $0.isMissing })
      #expect(merged.map { [$0.marked, $0.unknown] } == counts)
      restored.close()
    }
  }

  @Test
  func `R13 R144 marked photos that were saved anew, moved or joined since the backup stay marked`()
    async throws
  {
    let (folder, name) = (try TestFolder(), Samples.name(1))
    let store = try await filled(folder, assets: 0)
    func asset(_ number: UInt32, _ flags: AssetFlags, at place: String, hint: String) -> AssetRecord {
      var asset = Samples.asset(number)
      asset.row.flags = flags
      asset.resources = [asset.resources[0]]
      asset.resources[0].locator = place
      asset.resources[0].identityHint = hint
      return asset
    }
    let before = [
      asset(0, .neverShare, at: "0.jpg", hint: "0"), asset(1, [], at: "1.jpg", hint: "1"),
      asset(2, [], at: "2.jpg", hint: "2"),
      asset(3, [], at: "3.dng", hint: "3"), asset(4, [], at: "4.jpg", hint: "4"),
    ]
    #expect(await store.commit(before.map { .putAsset(name, $0) }) == nil)
    let file = try await backUp(store)
    // Changes since the backup: the file of asset 0 is saved again at the place of asset 2, whose
    // file moves. The file of asset 3 becomes the RAW of asset 1, which gets a mark. Asset 4 moves.
    var saved = asset(0, [.neverShare, .favourite], at: "2.jpg", hint: "new")
    saved.resources[0].size += 7
    var joined = asset(1, .hidden, at: "1.jpg", hint: "1")
    joined.resources += asset(3, [], at: "1.dng", hint: "3").resources
    joined.resources[1].role = .raw
    let moved = asset(2, [], at: "elsewhere.jpg", hint: "2")
    let since = [saved, joined, moved, asset(4, [], at: "4-moved.jpg", hint: "4")]
    #expect(await store.commit([.removeAsset(name, AssetNumber(3))] + since.map { .putAsset(name, $0) }) == nil)
    store.close()
    #expect(try StateMaintenance.restore(from: file.number, into: folder.path).merged?.marked == 2)
    let (restored, _) = try SQLiteStore.open(folder)
    let found = try await restored.assets(of: name).sorted { $0.row.number.rawValue < $1.row.number.rawValue }
    let withheld = try await restored.detached(like: saved.resources, in: name)
    restored.close()
    #expect(found.map(\.row.flags) == [.neverShare, .hidden, [], .hidden, []], "3 had become a part of what is hidden")
    #expect(withheld.map(\.hint) == ["new"] && withheld.map(\.marks) == [.neverShare])
  }

  @Test func `R13 R144 a second restore keeps the marks from before the first`() async throws {
    let folder = try TestFolder()
    let (empty, _) = try SQLiteStore.open(folder)
    let wrong = try await backUp(empty)
    empty.close()
    let store = try await filled(folder, assets: 2)
    #expect(await store.commit((0..<2).map { .updateRow(Samples.name(1), plainRow($0), edited: []) }) == nil)
    let right = try await backUp(store)
    var secret = plainRow(1)
    secret.flags = .neverShare
    #expect(await store.commit([.updateRow(Samples.name(1), secret, edited: [])]) == nil)
    store.close()
    #expect(try StateMaintenance.restore(from: wrong.number, into: folder.path).merged == RestoreMerge(unknown: 1))
    for _ in 0..<2 {
      #expect(try StateMaintenance.restore(from: right.number, into: folder.path).merged?.marked == 1)
      lseek(right.number, 0, SEEK_SET)
    }
    let (restored, _) = try SQLiteStore.open(folder)
    let flags = try await restored.assets(of: Samples.name(1)).sorted {
      $0.row.number.rawValue < $1.row.number.rawValue
    }.map(\.row.flags)
    #expect(flags == [[], .neverShare])
    restored.close()
  }

  private func plainRow(_ number: UInt32) -> AssetRow {
    var row = Samples.row(number)
    row.flags = []
    return row
  }

  @Test func `R144 two restores in a row keep the state before the first`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 1)
    let (first, second) = (try await backUp(store), try await backUp(store))
    #expect(await store.commit([.putSetting(name: "newest", value: "yes")]) == nil)
    store.close()
    func kept() throws -> Bool {
      try Data(contentsOf: URL(fileURLWithPath: folder.file("state.db.before-restore"))).range(
        of: Data("newestyes".utf8)) != nil
    }
    _ = try StateMaintenance.restore(from: first.number, into: folder.path)
    #expect(try kept())
    _ = try StateMaintenance.restore(from: second.number, into: folder.path)
    #expect(try kept())
    // A broker that started has used up the note.
    let (restored, contents) = try SQLiteStore.open(folder)
    #expect(contents.settings[SettingName.restored]?.isEmpty == false)
    #expect(await restored.commit([.putSetting(name: SettingName.restored, value: "")]) == nil)
    restored.close()
    lseek(first.number, 0, SEEK_SET)
    _ = try StateMaintenance.restore(from: first.number, into: folder.path)
    #expect(try !kept())
  }

  @Test func `an interrupted restore leaves nothing behind at the next start`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 1)
    store.close()
    for name in ["state.db.restoring", "state.db.restoring-wal"] {
      #expect(FileManager.default.createFile(atPath: folder.file(name), contents: Data("keys".utf8)))
    }
    let (again, _) = try SQLiteStore.open(folder)
    again.close()
    #expect(!FileManager.default.fileExists(atPath: folder.file("state.db.restoring")))
    #expect(!FileManager.default.fileExists(atPath: folder.file("state.db.restoring-wal")))
  }

  @Test
  func
    `R13 R144 files that left marked photos, before or after the backup, are withheld after a restore`()
    async throws
  {
    let (folder, name) = (try TestFolder(), Samples.name(1))
    let store = try await filled(folder, assets: 0)
    func plain(_ number: UInt32) -> AssetRecord {
      var asset = Samples.asset(number)
      asset.row.flags = []
      asset.resources[0].digest = [UInt8(number)]
      return asset
    }
    func left(_ number: Int64, _ asset: AssetRecord, isMissing: Bool = true) -> DetachedFile {
      let file = asset.resources[0]
      return DetachedFile(
        number: number, asset: asset.row.number, marks: .neverShare, place: file.locator, filename: file.filename,
        size: file.size,
        hint: file.identityHint, hash: nil, digest: file.digest, endsDigest: nil, isMissing: isMissing,
        placeEnds: isMissing ? nil : Samples.time(9))
    }
    // 0 is missing when the backup is made; 5 is a copy of the later 1.
    #expect(
      await store.commit((1..<6).map { .putAsset(name, plain($0)) } + [.putDetached(name, left(0, plain(0)))]) == nil)
    var copy = plain(6)
    copy.resources[0].digest = [1]
    copy.resources[0].size = plain(1).resources[0].size
    #expect(await store.commit([.putAsset(name, copy)]) == nil)
    let file = try await backUp(store)
    // 1 is marked and goes missing; so does 2, after it was saved again elsewhere. 7 was imported
    // since, and no state knows it. 3 moved; 4 was found.
    var saved = plain(2)
    saved.resources[0].digest = [99]
    saved.resources[0].identityHint = "new"
    saved.resources[0].locator = "elsewhere.jpg"
    saved.resources[0].size = 77
    let since = [
      left(1, plain(1)), left(2, plain(2)), left(3, saved), left(4, plain(7)), left(5, plain(3), isMissing: false),
    ]
    #expect(
      await store.commit(
        [1, 2].map { .removeAsset(name, AssetNumber($0)) } + since.map { .putDetached(name, $0) }
          + (20..<2_000).map { .putDetached(name, left($0, plain(UInt32($0 % 9 + 200)))) }) == nil)
    store.close()
    #expect(try StateMaintenance.restore(from: file.number, into: folder.path).merged?.marked == 2)
    let (restored, contents) = try SQLiteStore.open(folder)
    let flags = try await restored.assets(of: name).map { ($0.row.number.rawValue, $0.row.flags) }
    #expect(
      flags.filter { $0.1 == .neverShare }.map(\.0) == [1, 2] && flags.count == 6,
      "a copy that was there is what it was there")
    let files = [plain(0), plain(1), plain(2), saved, plain(7), plain(3)].map { $0.resources[0] }
    let found = try await restored.detached(like: files, in: name)
    #expect(Set(found.compactMap(\.hint)).isSuperset(of: files.compactMap(\.identityHint)))
    #expect(
      found.count == 6 && found.map(\.asset) == [AssetNumber(0)] + Array(repeating: nil, count: 5), "and none twice")
    #expect(
      found.allSatisfy { $0.marks == .neverShare }
        && found.filter { !$0.isMissing }.map(\.hint) == [files[5].identityHint])
    // One, five more, and nine for the 1,980 equal records.
    #expect(contents.libraries.first?.nextDetached == 15)
    restored.close()
  }

  @Test
  func `R13 R144 marks of missing photos set since the backup stay after a restore, unknown photos included`()
    async throws
  {
    let (folder, name) = (try TestFolder(), Samples.name(1))
    let store = try await filled(folder, assets: 0)
    var asset = Samples.asset(1)
    asset.row.flags = []
    #expect(await store.commit([.putAsset(name, asset)]) == nil)
    let file = try await backUp(store)
    let left = DetachedFile(asset.resources[0], number: 0, asset: AssetNumber(1), marks: .neverShare)
    var marked = asset.row
    marked.flags = [.neverShare, .missing]
    // Also for an asset that no state had when the backup was made.
    var late = Samples.asset(2)
    late.row.flags = [.hidden, .missing]
    #expect(
      await store.commit([
        .updateRow(name, marked, edited: []), .putDetached(name, left),
        .noteMissing(name, AssetNumber(1), since: Samples.time(1)),
        .putAsset(name, late), .noteMissing(name, AssetNumber(2), since: Samples.time(1)),
      ]) == nil)
    store.close()
    #expect(try StateMaintenance.restore(from: file.number, into: folder.path).merged?.marked == 2)
    let (restored, _) = try SQLiteStore.open(folder)
    #expect(try await restored.assets(of: name).map(\.row.flags) == [.neverShare])
    let withheld = try await restored.detached(like: late.resources, in: name)
    #expect(
      !withheld.isEmpty && withheld.allSatisfy { $0.marks == .hidden }, "it is hidden as soon as it is there again")
    restored.close()
  }

  @Test func `R127 R144 libraries declined since the backup stay declined after a restore`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 1)
    var library = Samples.library(1)
    library[.user, 5] = Invitation(.declined)
    #expect(
      await store.commit([.putLibrary(library), .putSetting(name: SettingName.declines + "7", value: "1,2")]) == nil)
    let file = try await backUp(store)
    library[.user, 5] = Invitation(.accepted)
    library[.user, 6] = Invitation(.declined)
    library[.coOwner, 6] = Invitation(.declined, isOpen: false)
    let settings = [("7", "2,30"), ("8", "1"), ("9", "")].map {
      StoreChange.putSetting(name: SettingName.declines + $0.0, value: $0.1)
    }
    #expect(await store.commit([.putLibrary(library)] + settings) == nil)
    store.close()
    _ = try StateMaintenance.restore(from: file.number, into: folder.path)
    let (restored, contents) = try SQLiteStore.open(folder)
    restored.close()
    let record = try #require(contents.libraries.first?.record)
    #expect(record[.user, 5] == Invitation(.declined))
    for role in Invitation.Role.allCases { #expect(record[role, 6] == Invitation(.declined, isOpen: false)) }
    let declines = contents.settings.filter { $0.key.hasPrefix(SettingName.declines) }.mapValues {
      Set($0.split(separator: ","))
    }
    #expect(declines == [SettingName.declines + "7": ["1", "2", "30"], SettingName.declines + "8": ["1"]])
  }

  @Test func `R16 R144 a restore keeps the pauses after denials since the backup`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 1)
    let name = SettingName.backoff + Samples.library(1).name.description
    #expect(await store.commit([.putSetting(name: name, value: "before")]) == nil)
    let file = try await backUp(store)
    #expect(await store.commit([.putSetting(name: name, value: "since")]) == nil)
    store.close()
    _ = try StateMaintenance.restore(from: file.number, into: folder.path)
    let (restored, contents) = try SQLiteStore.open(folder)
    restored.close()
    #expect(contents.settings[name] == "since")
  }

  @Test func `R126 R144 a co-owner who left since the backup has not accepted after a restore`()
    async throws
  {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 1)
    var library = Samples.library(1)
    for user: UInt32 in [5, 6] { library[.coOwner, user] = Invitation(.accepted) }
    #expect(await store.commit([.putLibrary(library)]) == nil)
    let file = try await backUp(store)
    library.coOwners = [6, 9]
    (library[.coOwner, 5], library[.coOwner, 9]) = (Invitation(.offered, isOpen: false), Invitation(.accepted))
    #expect(await store.commit([.putLibrary(library)]) == nil)
    store.close()
    _ = try StateMaintenance.restore(from: file.number, into: folder.path)
    let (restored, contents) = try SQLiteStore.open(folder)
    restored.close()
    let record = try #require(contents.libraries.first?.record)
    #expect(record[.coOwner, 5] == Invitation(.offered) && record[.coOwner, 6] == Invitation(.accepted))
    #expect(record[.coOwner, 9] == Invitation(.offered, isOpen: false))
  }

  @Test func `R17 R144 apps removed and tokens revoked since the backup stay so after a restore`()
    async throws
  {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 1)
    let (kept, gone) = (Samples.appRecord(1), Samples.appRecord(2))
    let key = GrantKey(library: key.library, app: gone.identifier, level: .readWrite)
    func token(_ number: UInt64) -> TokenRecord {
      TokenRecord(
        accessor: Accessor(high: 0, low: number), app: kept.identifier, grant: nil, minted: Samples.time(1),
        isRevoked: false)
    }
    #expect(
      await store.commit(
        [.putApp(gone), .putGrant(Samples.grant(key, epoch: 1))] + (1...3).map { .putToken(token($0)) }) == nil)
    let file = try await backUp(store)
    let former = FormerApp(
      identifier: gone.identifier, claimed: "org.example.gone", uid: gone.uid, isKnownToOthers: true)
    #expect(
      await store.commit([
        .removeApp(gone.identifier), .noteFormerApp(former), .revokeToken(token(1).accessor),
        .revokeToken(token(2).accessor), .forgetToken(token(2).accessor),
        .putSetting(name: SettingName.epochFloor, value: "2"),
      ]) == nil)
    store.close()
    let merged = try #require(try StateMaintenance.restore(from: file.number, into: folder.path).merged)
    #expect(merged.removedApps == 1 && merged.revokedTokens == 2)
    let (restored, contents) = try SQLiteStore.open(folder)
    restored.close()
    #expect(contents.apps.map(\.identifier) == [kept.identifier] && contents.grants.map(\.key.app) == [kept.identifier])
    #expect(contents.formerApps.map(\.claimed) == ["org.example.gone"])
    #expect(contents.tokens.filter { !$0.isRevoked }.map(\.accessor) == [token(3).accessor])
    #expect(contents.settings[SettingName.restored] == "2 \(Samples.name(1))")
  }

  @Test(arguments: [true, false]) func `R144 a restore names the grants that it changes`(_ changes: Bool) async throws {
    let folder = try TestFolder()
    let store = try await filled(folder, assets: 1)
    let file = try await backUp(store)
    var grant = Samples.grant(key, epoch: 1)
    let status = grant.status
    grant.status = .denied
    if changes { #expect(await store.commit([.putGrant(grant)]) == nil) }
    store.close()
    let grants = try #require(try StateMaintenance.restore(from: file.number, into: folder.path).merged).grants
    #expect(grants.map(\.status) == (changes ? [status.name] : []))
    #expect(grants.map(\.before) == (changes ? ["denied"] : []))
  }

  @Test func `a simultaneous second backup is refused, and the first is unharmed`() async throws {
    let folder = try TestFolder()
    // More than one piece.
    let store = try await filled(folder, assets: 12_000)
    var refusals = 0
    // On a busy machine the first backup may end before the second begins.
    for _ in 0..<50 where refusals == 0 {
      let (first, second) = (begin(store), begin(store))
      _ = try await end(first)
      do { _ = try await end(second) } catch let failure as StoreFailure where failure.code == .refused {
        refusals += 1
      }
    }
    #expect(refusals == 1)
    _ = try await backUp(store)
    store.close()
  }

  @Test(arguments: ["empty", "text", "cut off", "another program's", "newer", "older"])
  func `R145 an unsound backup or one of another version is refused, and the present state stays`(_ kind: String)
    async throws
  {
    let (folder, scratch) = (try TestFolder(), try TestFolder())
    let store = try await filled(folder)
    let good = try await backUp(store)
    store.close()
    let path = scratch.file("backup")
    try FileHandle(fileDescriptor: good.duplicate(), closeOnDealloc: true).readToEnd()?.write(
      to: URL(fileURLWithPath: path))
    switch kind {
    case "empty": try Data().write(to: URL(fileURLWithPath: path))
    case "text": try Data(repeating: 0x41, count: 9_000).write(to: URL(fileURLWithPath: path))
    case "cut off": #expect(truncate(path, 40_960) == 0)
    // Valid, except for the digest.
    case "another program's":
      #expect(truncate(path, off_t(good.size / 4_096 * 4_096)) == 0)
      try overwrite(path, at: 68, with: [0, 0, 0, 1])
    default:
      #expect(truncate(path, off_t(good.size / 4_096 * 4_096)) == 0)
      try overwrite(path, at: 60, with: kind == "newer" ? [0, 0, 3, 0xe7] : [0, 0, 0, 30])
    }
    let source = open(path, O_RDONLY)
    defer { close(source) }
    #expect(throws: StoreError(["newer", "older"].contains(kind) ? .otherVersion : .corrupt)) {
      try StateMaintenance.restore(from: source, into: folder.path)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("state.db.restoring")))
    #expect(!FileManager.default.fileExists(atPath: folder.file("state.db.before-restore")))
    let (again, contents) = try SQLiteStore.open(folder)
    #expect(contents.grants.map(\.key) == [key])
    #expect(try await again.assets(of: Samples.name(1)).count == 2_000)
    again.close()
  }

  @Test func `a restore over a damaged state works and keeps the damaged one`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder)
    let file = try await backUp(store)
    store.close()
    try overwrite(folder.file("state.db"), at: 0, with: Array(repeating: 0xff, count: 4_096))
    #expect(throws: StoreError(.corrupt)) { try SQLiteStore.open(folder) }
    _ = try StateMaintenance.restore(from: file.number, into: folder.path)
    #expect(try outside(folder) == nil)
    let kept = try Data(contentsOf: URL(fileURLWithPath: folder.file("state.db.before-restore")))
    #expect(kept.prefix(16) == Data(repeating: 0xff, count: 16))
  }

  @Test func `R144 R145 a restore over a state of another version takes nothing from it`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder)
    let file = try await backUp(store)
    store.close()
    #expect(try StateMaintenance.restore(from: file.number, into: folder.path).merged != nil)
    try overwrite(folder.file("state.db"), at: 60, with: [0, 0, 0, 30])
    unlink(folder.file("state.db.before-restore"))
    lseek(file.number, 0, SEEK_SET)
    #expect(try StateMaintenance.restore(from: file.number, into: folder.path).merged == nil)
    let (again, contents) = try SQLiteStore.open(folder)
    #expect(contents.grants.map(\.key) == [key])
    again.close()
  }

  @Test func `a folder in use by a daemon is not restored`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder)
    let file = try await backUp(store)
    #expect(throws: StoreError(.locked)) { try StateMaintenance.restore(from: file.number, into: folder.path) }
    store.close()
  }

  private func overwrite(_ path: String, at offset: Int64, with bytes: [UInt8]) throws {
    let file = open(path, O_WRONLY)
    defer { close(file) }
    try #require(pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count)
  }
}
