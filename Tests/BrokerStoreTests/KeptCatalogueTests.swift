import Broker
@testable import BrokerStore
import Catalogue
import Foundation
import PhotoModel
import StoreScript
import TestSupport
import Testing

/// A kept catalogue equals the one of the rows, or it is not used.
@Suite struct KeptCatalogueTests {
  private let name = Samples.name(1)
  private let key = Samples.key(1, 1)

  /// A store with some assets and a kept catalogue.
  private func filled(_ folder: TestFolder) async throws -> SQLiteStore {
    let (store, _) = try SQLiteStore.open(folder)
    #expect(
      await store.commit([
        .putLibrary(Samples.library(1)), .putLibrary(Samples.library(2)), .putApp(Samples.appRecord(1)),
      ]) == nil)
    let assets = (0..<700).map { Samples.asset($0, creator: $0 % 5 == 0 ? key.app : nil) }
    #expect(
      await store.commit(assets.map { .putAsset(name, $0) } + [.putAsset(Samples.name(2), Samples.asset(4))]) == nil)
    try await keep(store, assets.map(\.row))
    return store
  }

  private func keep(_ store: SQLiteStore, _ rows: [AssetRow]) async throws {
    let kept = try #require(store.write(try Catalogue(rows)))
    #expect(await store.commit([.keepCatalogue(name, kept)]) == nil)
  }

  private func files(_ folder: TestFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("catalogue-") }
  }

  /// Opens the state and compares the catalogue in memory with the rows.
  private func reopen(_ folder: TestFolder) async throws -> (isKept: Bool, contents: StoreContents) {
    let (store, contents) = try SQLiteStore.open(folder)
    let library = try #require(contents.libraries.first { $0.record.name == name })
    let assets = try await store.assets(of: name)
    #expect(Set(rows(of: library)) == Set(assets.map(\.row)))
    #expect(library.catalogue.count == assets.count)
    #expect(
      library.creators
        == Dictionary(uniqueKeysWithValues: assets.compactMap { asset in asset.creator.map { (asset.row.number, $0) } })
    )
    store.close()
    return (library.isCatalogueKept, contents)
  }

  @Test func `a stored catalogue survives a restart, and the next`() async throws {
    let folder = try TestFolder()
    try await filled(folder).close()
    for _ in 0..<2 { #expect(try await reopen(folder).isKept) }
    let file = try #require(try files(folder).first)
    let facts = try FileManager.default.attributesOfItem(atPath: folder.file(file))
    #expect((facts[.posixPermissions] as? Int) == 0o600)
  }

  @Test(arguments: ["put", "update", "remove", "library"])
  func `any change of an asset invalidates it and removes the file`(_ kind: String) async throws {
    let folder = try TestFolder()
    let store = try await filled(folder)
    let change: StoreChange =
      switch kind {
      case "put": .putAsset(name, Samples.asset(5_000))
      case "update": .updateRow(name, Samples.row(9, version: 77), edited: [])
      case "remove": .removeAsset(name, AssetNumber(9))
      default: .removeLibrary(Samples.name(1))
      }
    #expect(await store.commit([change]) == nil)
    #expect(try files(folder).isEmpty)
    store.close()
    if kind != "library" { #expect(try await !reopen(folder).isKept) }
  }

  @Test func `unrelated changes keep it, and a later one replaces it`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder)
    #expect(
      await store.commit([
        .putGrant(Samples.grant(key, epoch: 1)), .setCaption(name, AssetNumber(3), "a caption"),
        .putAsset(Samples.name(2), Samples.asset(8)), .appendChanges(name, [ChangeRecord(sequence: 1, kind: .album)]),
      ]) == nil)
    try await keep(store, try await store.assets(of: name).map(\.row))
    #expect(try files(folder).count == 1)
    store.close()
    #expect(try await reopen(folder).isKept)
  }

  @Test(arguments: ["missing", "cut off", "longer", "garbled", "empty", "readable by others", "a link"])
  func `a damaged file is not used, and this is reported`(_ kind: String) async throws {
    let folder = try TestFolder()
    try await filled(folder).close()
    let path = folder.file(try #require(try files(folder).first))
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    switch kind {
    case "missing": unlink(path)
    case "cut off": truncate(path, off_t(data.count / 2))
    case "empty": truncate(path, 0)
    case "readable by others": chmod(path, 0o644)
    case "a link":
      rename(path, folder.file("elsewhere"))
      symlink(folder.file("elsewhere"), path)
    case "longer":
      data += [0, 0, 0, 0, 0, 0, 0, 0]
      try data.write(to: URL(fileURLWithPath: path))
    default:
      data[data.count / 3] ^= 4
      try data.write(to: URL(fileURLWithPath: path))
    }
    if kind != "readable by others" { chmod(path, 0o600) }
    let (isKept, contents) = try await reopen(folder)
    #expect(!isKept && contents.remarks.count == 1)
    #expect(try files(folder).isEmpty)
    let again = try await reopen(folder)
    #expect(!again.isKept && again.contents.remarks.isEmpty)
  }

  @Test func `a restored database has its own catalogue or none, and unknown ones are removed`()
    async throws
  {
    let folder = try TestFolder()
    let other = try TestFolder()
    try await filled(folder).close()
    try folder.copy("state.db", to: other)
    let (store, _) = try SQLiteStore.open(folder)
    #expect(await store.commit([.removeAsset(name, AssetNumber(9))]) == nil)
    try await keep(store, try await store.assets(of: name).map(\.row))
    store.close()
    try other.copy("state.db", to: folder)
    #expect(try await !reopen(folder).isKept)
    #expect(try files(folder).isEmpty)
  }

  @Test func `R144 a restored state rebuilds its catalogues`() async throws {
    let folder = try TestFolder()
    try await filled(folder).close()
    let source = open(folder.file("state.db"), O_RDONLY)
    defer { close(source) }
    _ = try StateMaintenance.restore(from: source, into: folder.path)
    #expect(try await !reopen(folder).isKept)
    #expect(try files(folder).isEmpty)
  }

  @Test func `R128 a removed library leaves no file`() async throws {
    let folder = try TestFolder()
    let store = try await filled(folder)
    #expect(try files(folder).count == 1)
    #expect(await store.commit([.removeLibrary(name)]) == nil)
    #expect(try files(folder).isEmpty)
    store.close()
  }

  @Test func `the digest detects any changed byte and any swapped pieces`() {
    var random = SeededGenerator(1)
    let bytes = (0..<5_003).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    func digest(_ bytes: [UInt8], seed: UInt64 = 3) -> UInt64 {
      var digest = ContentDigest(seed: seed)
      for start in stride(from: 0, to: bytes.count, by: 1_024) {
        bytes[start..<min(bytes.count, start + 1_024)].withUnsafeBytes { digest.add($0) }
      }
      return digest.value
    }
    var seen: Set<UInt64> = [digest(bytes)]
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 1 << UInt8(index % 8)
      seen.insert(digest(other))
    }
    #expect(seen.count == bytes.count + 1)
    #expect(digest(Array(bytes[1_024..<2_048] + bytes[..<1_024] + bytes[2_048...])) != digest(bytes))
    #expect(digest(bytes + [0]) != digest(bytes) && digest(bytes, seed: 4) != digest(bytes))
  }
}
