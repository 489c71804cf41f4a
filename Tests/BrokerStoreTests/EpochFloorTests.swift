import Broker
import BrokerStore
import Foundation
import StoreScript
import Synchronization
import Testing

/// An older copy of the state is recognised, so that revoked rights do not come back with it.
@Suite struct EpochFloorTests {
  private let key = Samples.key(1, 1)

  private func raise(_ store: SQLiteStore, to epoch: Int) async {
    #expect(await store.commit([.putSetting(name: SettingName.epochFloor, value: "\(epoch)")]) == nil)
  }

  /// A folder at epoch 3, and a copy of it from epoch 1.
  private func history() async throws -> (present: TestFolder, old: TestFolder) {
    let (present, old) = (try TestFolder(), try TestFolder())
    let (store, contents) = try SQLiteStore.open(present)
    #expect(contents.settings[SettingName.outsideEpochFloor] == nil)
    await raise(store, to: 1)
    store.close()
    for name in try ["state.db", present.floorName] { try present.copy(name, to: old) }
    let (later, _) = try SQLiteStore.open(present)
    await raise(later, to: 2)
    await raise(later, to: 3)
    later.close()
    return (present, old)
  }

  private func outside(_ folder: TestFolder) throws -> UInt64? {
    let (store, contents) = try SQLiteStore.open(folder)
    store.close()
    return contents.settings[SettingName.outsideEpochFloor].flatMap { UInt64($0) }
  }

  @Test func `R144 a database from before a revocation is recognized until the broker has paused everything`()
    async throws
  {
    let (present, old) = try await history()
    #expect(try outside(present) == nil)
    try old.copy("state.db", to: present)
    #expect(try outside(present) == 3)
    // The broker stopped before it could commit, so the next start reports the floor again.
    let (store, contents) = try SQLiteStore.open(present)
    #expect(contents.settings[SettingName.outsideEpochFloor] == "3")
    await raise(store, to: 4)
    store.close()
    #expect(try outside(present) == nil)
  }

  private func warnings(_ folder: TestFolder) throws -> [String] {
    let (store, contents) = try SQLiteStore.open(folder)
    store.close()
    return contents.warnings
  }

  @Test func `R144 a reset state and a new one beside a floor cause a warning`() async throws {
    let (present, old) = try await history()
    #expect(try warnings(present) == [] && warnings(TestFolder()) == [])
    let moved = try warnings(old)
    #expect(moved.count == 1 && moved[0].contains("photobroker grant resume"))
    try old.copy("state.db", to: present)
    #expect(try warnings(present) == moved)
    for isMissing in [false, true] {
      truncate(present.file("state.db"), 0)
      if isMissing { unlink(present.file("state.db")) }
      let anew = try warnings(present)
      #expect(
        anew.count == 1 && anew[0].contains(present.file("state.db")) && anew[0].contains(present.file("epoch-floor")))
    }
  }

  @Test func `R144 a whole folder from a backup, floor included, is recognized`() async throws {
    let (_, old) = try await history()
    #expect(try outside(old) == 2)
    #expect(try outside(old) == 2)
  }

  /// Copies as `cp -a`, `tar --overwrite` and `rsync --inplace` do: files of the same name keep
  /// their inodes.
  private func layOver(_ old: TestFolder, _ present: TestFolder, asKnownBefore: Bool) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: old.path) {
      let known = asKnownBefore && name.hasPrefix("epoch-floor") ? "epoch-floor" : name
      let bytes = try Data(contentsOf: URL(fileURLWithPath: old.file(name)))
      guard FileManager.default.fileExists(atPath: present.file(known)) else {
        try bytes.write(to: URL(fileURLWithPath: present.file(known)))
        chmod(present.file(known), 0o600)
        continue
      }
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: present.file(known)))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: bytes)
      try file.close()
    }
  }

  @Test(arguments: [false, true]) func `R144 a backup laid over the folder is recognized`(_ asKnownBefore: Bool)
    async throws
  {
    let (present, old) = try await history()
    for name in ["state.db-wal", "state.db-shm"] { unlink(present.file(name)) }
    try layOver(old, present, asKnownBefore: asKnownBefore)
    #expect(try outside(present) == 3)
    let (store, contents) = try SQLiteStore.open(present)
    #expect(contents.settings[SettingName.outsideEpochFloor] == "3")
    await raise(store, to: 4)
    store.close()
    #expect(try outside(present) == nil)
    #expect(try present.floorName == "epoch-floor.0000000000000004")
  }

  @Test func `R144 a floor written by an older version continues`() async throws {
    let (present, old) = try await history()
    rename(try present.file(present.floorName), present.file("epoch-floor"))
    #expect(try outside(present) == nil)
    let (store, _) = try SQLiteStore.open(present)
    await raise(store, to: 4)
    store.close()
    #expect(try present.floorName == "epoch-floor.0000000000000004")
    try old.copy("state.db", to: present)
    #expect(try outside(present) == 4)
  }

  @Test(arguments: ["missing", "empty", "damaged"]) func `R144 an unreadable floor makes the state count as old`(
    _ floor: String
  )
    async throws
  {
    let (present, _) = try await history()
    unlink(try present.file(present.floorName))
    if floor != "missing" {
      try Data((floor == "empty" ? "" : "photobroker epoch floor 1\nzz").utf8).write(
        to: URL(fileURLWithPath: present.file("epoch-floor")))
      chmod(present.file("epoch-floor"), 0o600)
    }
    #expect(try outside(present) == 4)
    #expect(try outside(present) == 4)
  }

  @Test func `the floor follows each commit that raises the epoch and survives a crash`() async throws {
    let folder = try TestFolder()
    let (store, _) = try SQLiteStore.open(folder)
    await raise(store, to: 0xabc)
    #expect(try folder.floorName == "epoch-floor.0000000000000abc")
    let text = try String(contentsOfFile: folder.file(folder.floorName), encoding: .utf8)
    #expect(text == "photobroker epoch floor 1\n0000000000000abc\n")
    await raise(store, to: 5)
    #expect(try String(contentsOfFile: folder.file(folder.floorName), encoding: .utf8) == text)
    store.close()
  }

  /// A disk whose syncs do not return while it is stuck.
  private final class StuckDisk: Sendable {
    let isStuck = Atomic<Bool>(false)
    let hasEnded = Atomic<Bool>(false)
    let came = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)

    func sync() -> Bool {
      guard isStuck.load(ordering: .acquiring) else { return true }
      came.signal()
      _ = goOn.wait(timeout: .now() + 20)
      hasEnded.store(true, ordering: .releasing)
      return true
    }
  }

  @Test func `R14 R144 no acknowledgement waits for the floor's sync, which meanwhile reveals an older database`()
    async throws
  {
    let (folder, old, disk) = (try TestFolder(), try TestFolder(), StuckDisk())
    let (first, _) = try SQLiteStore.open(folder)
    await raise(first, to: 1)
    first.close()
    try folder.copy("state.db", to: old)
    let (store, _) = try SQLiteStore.open(folder) { $0.floorSync = { disk.sync() } }
    disk.isStuck.store(true, ordering: .releasing)
    await raise(store, to: 2)
    #expect(await waits(disk.came))
    await raise(store, to: 3)
    let hadEnded = disk.hasEnded.load(ordering: .acquiring)
    #expect(!hadEnded)
    #expect(try folder.floorName == "epoch-floor.0000000000000003")
    disk.isStuck.store(false, ordering: .releasing)
    disk.goOn.signal()
    store.close()
    try old.copy("state.db", to: folder)
    #expect(try outside(folder) == 3)
  }

  private func waits(_ semaphore: DispatchSemaphore) async -> Bool {
    await withCheckedContinuation { answer in
      DispatchQueue.global().async { answer.resume(returning: semaphore.wait(timeout: .now() + 20) == .success) }
    }
  }
}
