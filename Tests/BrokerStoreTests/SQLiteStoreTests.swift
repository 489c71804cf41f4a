import Broker
import BrokerStore
import Catalogue
import Foundation
import PhotoModel
import StoreScript
import Testing

@Suite struct SQLiteStoreTests {
  @Test func `the SQLite store passes the conformance suite`() async throws {
    let folder = try TestFolder()
    let (store, contents) = try SQLiteStore.open(folder)
    #expect(contents.libraries.isEmpty && contents.settings.isEmpty)
    try await StoreConformance(store: store).check()
    store.close()
  }

  @Test func `the in-memory model passes the conformance suite`() async throws {
    try await StoreConformance(store: ModelStore()).check()
  }

  @Test(arguments: 1...4) func `exactly the committed state survives a restart`(seed: UInt64)
    async throws
  {
    let folder = try TestFolder()
    let commits = Script.commits(120, seed: seed)
    for part in [commits[..<50], commits[50...]] {
      let (store, _) = try SQLiteStore.open(folder) { $0.checkpointFrames = 30 }
      for changes in part { #expect(await store.commit(changes) == nil) }
      store.close()
    }
    let (store, contents) = try SQLiteStore.open(folder)
    #expect(try await store.lines(contents) == StateText.lines(ModelStore(after: commits)))
    store.close()
  }

  @Test func `asset numbers and sequences are never reused`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    let name = Samples.name(1)
    _ = await store.commit([
      .putLibrary(Samples.library(1)), .putAsset(name, Samples.asset(9)), .putAsset(name, Samples.asset(3)),
      .appendChanges(name, [ChangeRecord(sequence: 41, kind: .album)]),
    ])
    _ = await store.commit([.removeAsset(name, AssetNumber(9)), .trimChanges(name, below: 100)])
    store.close()
    let (again, contents) = try SQLiteStore.open(folder)
    #expect(contents.libraries.first?.nextNumber == 10)
    #expect(contents.libraries.first?.nextSequence == 42)
    #expect(contents.libraries.first?.changes.isEmpty == true)
    again.close()
  }

  @Test
  func
    `R13 many equal detached files are found, missing and latest ones first, and expired ones go in pieces`()
    async throws
  {
    let (store, _) = try SQLiteStore.open(try TestFolder())
    let name = Samples.name(1)
    func put(_ number: Int64, isMissing: Bool) -> StoreChange {
      .putDetached(
        name,
        DetachedFile(
          number: number, asset: nil, marks: .hidden, place: "a.jpg", filename: "a.jpg", size: 5, hint: nil, hash: nil,
          digest: nil,
          endsDigest: nil, isMissing: isMissing, placeEnds: isMissing ? nil : Samples.time(UInt64(number))))
    }
    #expect(
      await store.commit([.putLibrary(Samples.library(1))] + (0..<300).map { put($0, isMissing: $0 % 10 == 0) }) == nil)
    let sought = ResourceRecord(
      role: .original, locator: "-", filename: "a.jpg", contentType: "", size: 5, contentVersion: "-",
      identityHint: nil, digest: nil)
    func found() async throws -> [Int64] { try await store.detached(like: [sought], in: name).map(\.number) }
    #expect(try await found() == (14..<30).map { $0 * 10 })
    // 225 files have ended places, and three calls forget them all.
    for _ in 0..<3 { #expect(await store.commit([.forgetDetached(name, placesEndedBefore: Samples.time(250))]) == nil) }
    #expect(await store.commit((1..<30).map { put($0 * 10, isMissing: false) }) == nil)
    #expect(try await found() == [0] + (285..<300))
    #expect(await store.commit([.forgetDetached(name, placesEndedBefore: .init(microseconds: .max))]) == nil)
    #expect(try await found() == [0], "what is missing stays")
    store.close()
  }

  /// An asset that went missing.
  private func lose(_ number: UInt32, since time: Timestamp, in name: LibraryName) -> [StoreChange] {
    var row = Samples.asset(number).row
    row.flags.insert(.missing)
    return [.updateRow(name, row, edited: []), .noteMissing(name, row.number, since: time)]
  }

  @Test func `R95 a missing asset is found by its files alone, until it is back or removed`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    let name = Samples.name(1)
    let assets = (0..<300).map { Samples.asset($0) }
    #expect(await store.commit([.putLibrary(Samples.library(1))] + assets.map { .putAsset(name, $0) }) == nil)
    #expect(
      await store.commit((0..<300).flatMap { lose(299 - $0, since: Samples.time(UInt64($0)), in: name) }) == nil)
    #expect(try await store.assets(of: name).isEmpty)
    #expect(try await store.asset(299, of: name) == nil)
    let latest = try #require(try await store.missing(like: [assets[299].resources[0]], in: name).first)
    var lost = assets[299]
    lost.row.flags.insert(.missing)
    #expect("\(latest)" == "\(MissingAsset(record: lost, since: Samples.time(0)))")
    // R39: a sidecar finds the asset that had it, and no photo of its place.
    for (index, file) in assets[297].resources.enumerated() {
      for role in [ResourceRole.original, .sidecar] {
        var sought = file
        sought.role = role
        let found = try await store.missing(like: [sought], in: name).map(\.record.row.number.rawValue)
        #expect(found == ((role == .sidecar) == (index == 1) ? [297] : []))
      }
    }
    func kept() async throws -> [UInt32] {
      try await store.missing(like: assets.map { $0.resources[0] }, in: name).map(\.record.row.number.rawValue)
    }
    #expect(try await kept() == Array(0..<300))
    #expect(
      await store.commit([
        .putAsset(name, assets[200]), .noteMissing(name, AssetNumber(200), since: nil),
        .removeAsset(name, AssetNumber(100)),
      ]) == nil)
    let rest: [UInt32] = Array(0..<100) + Array(101..<200) + Array(201..<300)
    #expect(try await kept() == rest)
    store.close()
    let (again, contents) = try SQLiteStore.open(folder)
    let library = try #require(contents.libraries.first)
    #expect(library.missing.map(\.asset.rawValue) == rest.reversed(), "the oldest first")
    #expect(
      library.catalogue.count == 1 && library.catalogue.row(of: AssetNumber(299))?.flags.contains(.missing) == true)
    #expect(library.nextNumber == 300)
    again.close()
  }

  @Test func `R128 a removed library leaves no byte of its keys, names and ledger`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    _ = await store.commit([.putLibrary(Samples.library(1)), .putLibrary(Samples.library(2))])
    var changes: [StoreChange] = []
    for number in 0..<1_200 {
      changes.append(.putAsset(Samples.name(1), Samples.asset(UInt32(number))))
      _ = store.record(Samples.entry(UInt64(number), rendition: "canary-rendition-\(number)"), in: Samples.name(1))
    }
    changes += (600..<1_200).flatMap { lose($0, since: Samples.time(1), in: Samples.name(1)) }
    changes.append(.putAsset(Samples.name(2), Samples.asset(7)))
    for number in UInt64(0)..<1_200 {
      var left = Samples.detached(number)
      left.place = "canary-place-\(number)"
      changes.append(.putDetached(Samples.name(1), left))
    }
    for (number, text) in [(1, "canary-setting"), (2, "kept-setting")] {
      changes += SettingName.all(of: Samples.name(UInt64(number))).map { .putSetting(name: $0, value: text) }
    }
    #expect(await store.commit(changes) == nil)
    #expect(try await store.ledger(of: Samples.name(1)).count == 1_200)
    #expect(await store.commit([.removeLibrary(Samples.name(1))]) == nil)
    #expect(try await store.ledger(of: Samples.name(1)).isEmpty)
    #expect(await store.delivered(Samples.name(1), Samples.app(1)) == Delivered())
    // A new library of the same name inherits nothing.
    #expect(await store.commit([.putLibrary(Samples.library(1))]) == nil)
    #expect(try await store.assets(of: Samples.name(1)).isEmpty)
    #expect(await store.delivered(Samples.name(1), Samples.app(1)) == Delivered())
    #expect(await store.commit([.removeLibrary(Samples.name(1))]) == nil)
    try await Task.sleep(for: .milliseconds(300))
    store.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("state.db")))
    #expect(bytes.range(of: Data("IMG_7.jpg".utf8)) != nil)
    #expect(bytes.range(of: Data("IMG_1100".utf8)) == nil)
    #expect(bytes.range(of: Data("canary-rendition".utf8)) == nil)
    #expect(bytes.range(of: Data("canary-setting".utf8)) == nil)
    #expect(bytes.range(of: Data("canary-place".utf8)) == nil)
    #expect(bytes.range(of: Data("kept-setting".utf8)) != nil)
    #expect(bytes.range(of: Data(Samples.library(1).rootKey)) == nil)
    #expect(bytes.range(of: Data(Samples.library(2).rootKey)) != nil)
  }

  @Test func `a second daemon is refused with the holder's name`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    let error = #expect(throws: StoreError.self) { try SQLiteStore.open(folder) }
    #expect(error?.code == .locked)
    #expect(error?.description.contains("process \(getpid())") == true)
    store.close()
    let (again, _) = try SQLiteStore.open(folder)
    again.close()
    #expect(await again.commit([.putSetting(name: "a", value: "b")])?.code == .closed)
    #expect(!again.record(Samples.entry(1), in: Samples.name(1)))
  }

  @Test func `a state folder open to others is refused`() throws {
    let folder = try TestFolder()
    chmod(folder.path, 0o750)
    #expect(throws: StoreError(.permissions)) { try SQLiteStore.open(folder) }
    chmod(folder.path, 0o700)
    let (store, _) = try SQLiteStore.open(folder)
    for name in try ["state.db", "state.db-wal", "lock", folder.floorName, "reserve"] {
      var facts = stat()
      #expect(stat(folder.file(name), &facts) == 0)
      #expect(facts.st_mode & 0o777 == 0o600, "\(name)")
    }
    store.close()
    chmod(folder.file("state.db"), 0o640)
    #expect(throws: StoreError(.permissions)) { try SQLiteStore.open(folder) }
    unlink(folder.file("state.db"))
    symlink("/dev/null", folder.file("state.db"))
    #expect(throws: StoreError(.permissions)) { try SQLiteStore.open(folder) }
  }

  @Test func `R145 a damaged or foreign database or one of another version is refused`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    for changes in Script.commits(40) { _ = await store.commit(changes) }
    store.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("state.db")))
    func put(_ data: Data) throws {
      try data.write(to: URL(fileURLWithPath: folder.file("state.db")))
      chmod(folder.file("state.db"), 0o600)
    }
    try put(Data("no database at all, but long enough to be looked at".utf8) + Data(count: 4_096))
    #expect(throws: StoreError(.corrupt)) { try SQLiteStore.open(folder) }
    try put(whole.prefix(whole.count / 2))
    #expect(throws: StoreError(.corrupt)) { try SQLiteStore.open(folder) }
    for (found, advice) in [(0, "empty state folder"), (30, "empty state folder"), (99, "Install the newer broker")] {
      var other = whole
      other[63] = UInt8(found)  // user_version is a big-endian number at offset 60
      try put(other)
      let error = #expect(throws: StoreError(.otherVersion)) { try SQLiteStore.open(folder) }
      for words in ["version \(found),", "version \(whole[63]) only", advice] {
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("state.db"))) == other, "it stays as it was")
    }
    var foreign = whole
    foreign[71] ^= 1  // application_id is one at offset 68
    try put(foreign)
    #expect(throws: StoreError(.corrupt)) { try SQLiteStore.open(folder) }
    try put(whole)
    let (again, contents) = try SQLiteStore.open(folder)
    #expect(try await again.lines(contents) == StateText.lines(ModelStore(after: Script.commits(40))))
    again.close()
  }

  @Test func `errors contain no path, name or value`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    let key = GrantKey(library: try #require(LibraryName("canary-name")), app: Samples.app(1), level: .readWrite)
    let failure = await store.commit([
      .putSetting(name: "canary", value: "canary"), .putGrant(Samples.grant(key, epoch: 1)),
    ])
    #expect(failure?.message.contains("canary") == false)
    store.close()
    chmod(folder.path, 0o755)
    let error = #expect(throws: StoreError.self) { try SQLiteStore.open(folder) }
    #expect(error?.description.contains(folder.path) == false)
  }
}
